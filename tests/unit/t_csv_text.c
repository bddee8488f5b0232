/* Text and CSV: what is written can be read back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/text.h"

static void assert_number(double value, const char *spelling)
{
    struct strata_text t = {0};
    strata_text_put_number(&t, value);
    assert_string_equal(t.data, spelling);
    assert_true(strtod(t.data, NULL) == value);
    strata_text_release(&t);
}

static void numbers_are_whole_or_short_and_never_change(void **state)
{
    (void)state;
    assert_number(0, "0");
    assert_number(-3, "-3");
    assert_number(2390016, "2390016");
    assert_number(9007199254740991.0, "9007199254740991");
    assert_number(0.1, "0.1");
    assert_number(12.2, "12.2");
    assert_number(1.0 / 3, "0.3333333333333333");
    assert_number(1e300, "1e+300");
}

static void assert_json(const char *words, const char *spelling)
{
    struct strata_text t = {0};
    strata_text_put_json_string(&t, words);
    assert_string_equal(t.data, spelling);
    strata_text_release(&t);
}

static void json_strings_escape_what_json_forbids(void **state)
{
    (void)state;
    assert_json("a\"b\\c", "\"a\\\"b\\\\c\"");
    assert_json("\n\t\x01", "\"\\n\\t\\u0001\"");
    assert_json("\xc3\xa9", "\"\xc3\xa9\"");
    /* a lone byte, an overlong slash, a surrogate, a cut character */
    assert_json("\xff", "\"\\ufffd\"");
    assert_json("\xc0\xaf", "\"\\ufffd\\ufffd\"");
    assert_json("\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\"");
    assert_json("x\xe2\x82", "\"x\\ufffd\\ufffd\"");
}

static void grouping_is_by_three(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } cases[] = {{0, "0"},     {999, "999"},         {1000, "1,000"},      {-1234567, "-1,234,567"},
                 {0.5, "0.5"}, {1337.25, "1,337.3"}, {-999.96, "-999.96"}, {1999.96, "2,000.0"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct strata_text t = {0};
        strata_text_put_grouped(&t, cases[i].value);
        assert_string_equal(t.data, cases[i].text);
        strata_text_release(&t);
    }
}

static void long_words_are_kept_whole(void **state)
{
    (void)state;
    struct strata_text t = {0};
    char word[1001];
    memset(word, 'x', 1000);
    word[1000] = 0;
    strata_text_printf(&t, "<%s>", word);
    assert_int_equal(t.length, 1002);
    assert_int_equal(t.data[1001], '>');
    strata_text_release(&t);
}

static void expect_row(struct strata_csv *c, uint32_t line, size_t n, ...)
{
    va_list args;
    assert_int_equal(strata_csv_next(c, NULL), STRATA_OK);
    assert_int_equal(c->line, line);
    assert_int_equal(c->n_cells, n);
    va_start(args, n);
    for (size_t i = 0; i < n; i++)
        assert_string_equal(c->cell[i], va_arg(args, const char *));
    va_end(args);
}

static void open_text(struct strata_csv *c, const char *text)
{
    strata_csv_open(c, text, strlen(text), "x.csv");
}

static void quotes_commas_and_line_ends_are_understood(void **state)
{
    (void)state;
    struct strata_csv c;
    open_text(&c, "\xef\xbb\xbf"
                  "a,b,c\r\n\"1,234\",\"he said \"\"yes\"\"\",\n\n\"two\nlines\",,last");
    expect_row(&c, 1, 3, "a", "b", "c");
    expect_row(&c, 2, 3, "1,234", "he said \"yes\"", "");
    expect_row(&c, 4, 3, "two\nlines", "", "last");
    assert_int_equal(strata_csv_next(&c, NULL), STRATA_END);
    strata_csv_release(&c);
}

static void an_open_quote_is_an_error_that_names_its_line(void **state)
{
    (void)state;
    struct strata_csv c;
    struct strata_error err;
    open_text(&c, "a,b\n1,\"2\n3,4\n");
    expect_row(&c, 1, 2, "a", "b");
    assert_int_equal(strata_csv_next(&c, &err), STRATA_EFORMAT);
    assert_int_equal(err.line, 2);
    strata_csv_release(&c);
}

static void a_line_with_odd_quotes_is_still_one_line(void **state)
{
    (void)state;
    struct strata_csv c;
    open_text(&c, "it is 5\" long\nnext,line\n");
    assert_int_equal(strata_csv_next_line(&c, NULL), STRATA_OK);
    assert_int_equal(c.n_cells, 1);
    assert_int_equal(strata_csv_next_line(&c, NULL), STRATA_OK);
    assert_string_equal(c.cell[1], "line");
    assert_int_equal(strata_csv_find(&c, "next"), 0);
    assert_true(strata_csv_find(&c, "absent") == SIZE_MAX);
    strata_csv_release(&c);
}

static void csv_fields_come_back_as_they_were(void **state)
{
    (void)state;
    static const char *const fields[] = {"plain", "a,b", "say \"x\"", "two\nlines", "", "\r"};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        struct strata_text t = {0};
        struct strata_csv c;
        strata_text_put_csv_field(&t, fields[i]);
        strata_text_put(&t, ",end");
        strata_csv_open(&c, t.data, t.length, "x");
        assert_int_equal(strata_csv_next(&c, NULL), STRATA_OK);
        assert_int_equal(c.n_cells, 2);
        assert_string_equal(c.cell[0], fields[i]);
        strata_csv_release(&c);
        strata_text_release(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_whole_or_short_and_never_change),
        cmocka_unit_test(json_strings_escape_what_json_forbids),
        cmocka_unit_test(grouping_is_by_three),
        cmocka_unit_test(long_words_are_kept_whole),
        cmocka_unit_test(quotes_commas_and_line_ends_are_understood),
        cmocka_unit_test(an_open_quote_is_an_error_that_names_its_line),
        cmocka_unit_test(a_line_with_odd_quotes_is_still_one_line),
        cmocka_unit_test(csv_fields_come_back_as_they_were),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
