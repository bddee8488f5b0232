/* measured.c - measured counters from a table of our own or from what Nsight Compute prints.
 *
 * Three layouts, told apart by their header row:
 *   table          program,trace,... and one column per metric; one row a launch
 *   raw page       ID,...,Kernel Name,... and one column per metric; a row of units; one row a
 * launch details page   ID,...,Metric Name,Metric Unit,Metric Value; one row a launch and metric
 * Columns are found by name, never by position. Lines of the profiler (==PROF==) and of the
 * profiled program may stand before, between and after the rows. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <strata/correlate.h>

#include "base/text.h"
#include "base/array.h"
#include "base/csv.h"
#include "base/file.h"
#include "correlate/cells.h"
#include "correlate/units.h"

enum { LARGEST_FILE_BYTES = 1000000000 };
/* The profiler's name of the card, and the column of a table that may hold it. */
static const char *const device_columns[] = {"device__attribute_display_name", "gpu"};
enum layout { TABLE, RAW_PAGE, DETAILS_PAGE };
enum role {
    PROGRAM,
    TRACE,
    ID,
    KERNEL,
    GRID,
    BLOCK,
    METRIC_NAME,
    METRIC_UNIT,
    METRIC_VALUE,
    N_ROLES
};

/* The first spelling is that of a table, the second Nsight Compute's. */
static const char *const role_names[N_ROLES][2] = {
    {"program", "Process Name"}, {"trace", NULL},       {"id", "ID"},
    {"kernel", "Kernel Name"},   {"grid", "Grid Size"}, {"block", "Block Size"},
    {NULL, "Metric Name"},       {NULL, "Metric Unit"}, {NULL, "Metric Value"}};

struct column {
    char *metric;
    const struct strata_metric *known; /* NULL: not in our table */
    double factor;                     /* to the table's unit; 0: the unit was not understood */
    bool is_identity;
};

struct measured_reader {
    struct strata_csv csv;
    struct strata_measured *m;
    enum layout layout;
    size_t role[N_ROLES];
    struct column *column; /* one per field of the header */
    size_t n_columns;
    size_t section; /* first launch of the current table; a file may hold several, with ids that
                       repeat */
    struct strata_error *err;
};

static strata_status no_memory(struct measured_reader *r)
{
    return strata_no_memory(r->err, r->csv.file, "for the measured counters of line %u",
                            r->csv.line);
}

__attribute__((format(printf, 2, 3))) static void warn(struct measured_reader *r,
                                                       const char *format, ...)
{
    char *sentence = NULL;
    va_list args;
    va_start(args, format);
    if (vasprintf(&sentence, format, args) < 0)
        sentence = NULL;
    va_end(args);
    if (!sentence || !ARRAY_RESERVE(r->m->warning, r->m->n_warnings, r->m->cap_warnings, 1)) {
        free(sentence);
        return;
    }
    r->m->warning[r->m->n_warnings++] = sentence;
}

static const char *cell(const struct measured_reader *r, enum role role)
{
    if (r->role[role] >= r->csv.n_cells)
        return "";
    char *words = r->csv.cell[r->role[role]];
    strata_text_clean(words); /* a name is shown again */
    return words;
}

/* ---- the header ---- */

static void release_columns(struct measured_reader *r)
{
    for (size_t i = 0; i < r->n_columns; i++)
        free(r->column[i].metric);
    free(r->column);
    r->column = NULL;
    r->n_columns = 0;
}

static bool is_nsight_header(const struct strata_csv *c)
{
    return !strcmp(c->cell[0], "ID") && strata_csv_find(c, "Kernel Name") != SIZE_MAX;
}

static bool is_table_header(const struct strata_csv *c)
{
    return strata_csv_find(c, "program") != SIZE_MAX && strata_csv_find(c, "trace") != SIZE_MAX;
}

static bool is_header(const struct strata_csv *c)
{
    return is_nsight_header(c) || is_table_header(c);
}

/* Fields of a row that describe the launch or the run and are no metrics. */
static bool is_identity_name(const char *name)
{
    static const char *const others[] = {
        "Process ID",
        "Host Name",
        "Context",
        "Stream",
        "Device",
        "CC",
        "Section Name",
        "Rule Name",
        "Rule Type",
        "Rule Description",
        "regs",
        "shmem",
        "thread Domain:Push/Pop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (!strcmp(name, others[i]))
            return true;
    for (int role = 0; role < N_ROLES; role++)
        for (int k = 0; k < 2; k++)
            if (role_names[role][k] && !strcmp(name, role_names[role][k]))
                return true;
    return false;
}

static strata_status read_header(struct measured_reader *r)
{
    bool nsight = is_nsight_header(&r->csv);
    release_columns(r);
    r->section = r->m->n_launches;
    for (int role = 0; role < N_ROLES; role++) {
        const char *name = role_names[role][nsight];
        r->role[role] = name ? strata_csv_find(&r->csv, name) : SIZE_MAX;
    }
    r->layout = !nsight ? TABLE : r->role[METRIC_NAME] == SIZE_MAX ? RAW_PAGE : DETAILS_PAGE;
    r->m->layout = r->layout == TABLE      ? "table"
                   : r->layout == RAW_PAGE ? "Nsight Compute raw page"
                                           : "Nsight Compute details page";
    r->m->names_traces = r->layout == TABLE;
    if (r->layout == DETAILS_PAGE && r->role[METRIC_VALUE] == SIZE_MAX)
        return strata_fail(
            r->err, STRATA_EFORMAT, r->csv.file, r->csv.line, 0,
            "there is a column \"Metric Name\" but no \"Metric Value\"; export the page again.");
    r->column = calloc(r->csv.n_cells, sizeof *r->column);
    if (!r->column)
        return no_memory(r);
    for (; r->n_columns < r->csv.n_cells; r->n_columns++) {
        struct column *c = &r->column[r->n_columns];
        const char *name = r->csv.cell[r->n_columns];
        c->metric = strdup(name);
        if (!c->metric)
            return no_memory(r);
        c->known = strata_metric_find(name);
        c->factor = 1;
        c->is_identity = !*name || is_identity_name(name);
    }
    return STRATA_OK;
}

/* Text before the table is whatever the program printed, so only single lines are looked at. */
static strata_status find_header(struct measured_reader *r)
{
    strata_status status;
    while ((status = strata_csv_next_line(&r->csv, r->err)) == STRATA_OK)
        if (is_header(&r->csv))
            return read_header(r);
    if (status != STRATA_END)
        return status;
    return strata_fail(
        r->err, STRATA_EFORMAT, r->csv.file, 0, 0,
        "no table of counters was found: there is neither a row that begins with \"ID\" "
        "(`ncu --csv`, with or without --page raw) nor one with the columns program and trace.");
}

/* ---- rows ---- */

static strata_status add_launch(struct measured_reader *r, uint64_t id, struct strata_result **out)
{
    struct strata_measured *m = r->m;
    struct strata_launch launch = {
        .program = cell(r, PROGRAM), .trace = cell(r, TRACE), .kernel = cell(r, KERNEL), .id = id};
    strata_cell_dim3(cell(r, GRID), &launch.grid);
    strata_cell_dim3(cell(r, BLOCK), &launch.block);
    if (!ARRAY_RESERVE(m->launch, m->n_launches, m->cap_launches, 1) ||
        !ARRAY_RESERVE(m->line, m->n_launches, m->cap_lines, 1))
        return no_memory(r);
    strata_status status = strata_result_init(&m->launch[m->n_launches], &launch, r->err);
    if (status != STRATA_OK)
        return status;
    m->line[m->n_launches] = r->csv.line;
    *out = &m->launch[m->n_launches++];
    return STRATA_OK;
}

static strata_status refuse_words(struct measured_reader *r, const char *metric, const char *text)
{
    return strata_fail(
        r->err, STRATA_EFORMAT, r->csv.file, r->csv.line, 0,
        "\"%s\" in column %s is not a number; export with `--print-units base` and without "
        "a local number format.",
        text, metric);
}

static strata_status set_value(struct measured_reader *r, struct strata_result *launch,
                               const struct column *c, const char *text)
{
    double value;
    enum cell_kind kind = strata_cell_number(text, &value);
    if (kind == CELL_WORDS && c->known)
        return refuse_words(r, c->metric, text);
    if (kind == CELL_NUMBER && c->factor != 0)
        strata_result_set(launch, c->metric, value * c->factor);
    return launch->out_of_memory ? no_memory(r) : STRATA_OK;
}

static bool is_same_launch(const struct measured_reader *r, const struct strata_result *x,
                           uint64_t id)
{
    if (r->layout != TABLE)
        return x->id == id;
    return !strcmp(x->program, cell(r, PROGRAM)) && !strcmp(x->trace, cell(r, TRACE));
}

static struct strata_result *find_launch(struct measured_reader *r, uint64_t id, uint32_t *line)
{
    for (size_t i = r->m->n_launches; i-- > r->section;)
        if (is_same_launch(r, &r->m->launch[i], id)) {
            *line = r->m->line[i];
            return &r->m->launch[i];
        }
    return NULL;
}

/* Rows of the details page may end early or late: columns about rules come and go between versions.
 */
static strata_status check_length(struct measured_reader *r)
{
    if (r->csv.n_cells == r->n_columns ||
        (r->layout == DETAILS_PAGE && r->csv.n_cells > r->role[METRIC_VALUE]))
        return STRATA_OK;
    return strata_fail(
        r->err, STRATA_EFORMAT, r->csv.file, r->csv.line, 0,
        "this row has %zu fields where the header has %zu; the file was cut short or a field "
        "with a comma is not quoted.",
        r->csv.n_cells, r->n_columns);
}

static bool is_device_column(const char *name)
{
    for (size_t i = 0; i < sizeof device_columns / sizeof device_columns[0]; i++)
        if (!strcmp(name, device_columns[i]))
            return true;
    return false;
}

static strata_status note_device(struct measured_reader *r, const char *name)
{
    if (!*name || r->m->device)
        return STRATA_OK;
    r->m->device = strdup(name);
    return r->m->device ? STRATA_OK : no_memory(r);
}

/* A row of a table or of the raw page: one launch. */
static strata_status read_wide_row(struct measured_reader *r, uint64_t id)
{
    struct strata_result *launch = NULL;
    uint32_t line = 0;
    if (find_launch(r, id, &line)) {
        if (r->layout == TABLE)
            return strata_fail(r->err, STRATA_EFORMAT, r->csv.file, r->csv.line, 0,
                               "%s/%s was already measured in line %u; keep one of the two rows.",
                               cell(r, PROGRAM), cell(r, TRACE), line);
        return strata_fail(
            r->err, STRATA_EFORMAT, r->csv.file, r->csv.line, 0,
            "the launch with ID %llu (%s) already stands in line %u; keep one of the two rows.",
            (unsigned long long)id, cell(r, KERNEL), line);
    }
    strata_status status = add_launch(r, id, &launch);
    for (size_t i = 0; status == STRATA_OK && i < r->n_columns; i++)
        if (is_device_column(r->column[i].metric))
            status = note_device(r, r->csv.cell[i]);
        else if (!r->column[i].is_identity)
            status = set_value(r, launch, &r->column[i], r->csv.cell[i]);
    return status;
}

static void set_factor(struct measured_reader *r, struct column *c, const char *unit)
{
    c->factor = 1;
    if (!c->known || strata_unit_factor(unit, c->known->unit, &c->factor))
        return;
    c->factor = 0;
    warn(r, "%s:%u: the unit \"%s\" of %s cannot be turned into \"%s\"; its values are left out.",
         r->csv.file, r->csv.line, unit, c->metric, c->known->unit);
}

static void read_units_row(struct measured_reader *r)
{
    for (size_t i = 0; i < r->n_columns; i++)
        if (!r->column[i].is_identity)
            set_factor(r, &r->column[i], r->csv.cell[i]);
}

/* A row of the details page: one metric of one launch. A page repeats some metrics in several
 * sections; that is no contradiction as long as the value is the same. */
static strata_status read_long_row(struct measured_reader *r, uint64_t id)
{
    uint32_t line = 0;
    double before, after;
    struct strata_result *launch = find_launch(r, id, &line);
    strata_status status = launch ? STRATA_OK : add_launch(r, id, &launch);
    if (status != STRATA_OK)
        return status;
    if (strcmp(launch->kernel, cell(r, KERNEL)))
        return strata_fail(
            r->err, STRATA_EFORMAT, r->csv.file, r->csv.line, 0,
            "ID %llu is the kernel %s here and %s in line %u; the file mixes two runs.",
            (unsigned long long)id, cell(r, KERNEL), launch->kernel, line);
    struct column c = {.factor = 1};
    const char *name = strata_metric_of_label(cell(r, METRIC_NAME));
    if (!*name) /* a rule's row */
        return STRATA_OK;
    c.known = strata_metric_find(name);
    c.metric = strdup(name);
    if (!c.metric)
        return no_memory(r);
    set_factor(r, &c, cell(r, METRIC_UNIT));
    bool known_before = strata_result_get(launch, name, &before);
    status = set_value(r, launch, &c, cell(r, METRIC_VALUE));
    if (status == STRATA_OK && known_before && c.known && strata_result_get(launch, name, &after) &&
        after != before)
        status =
            strata_fail(r->err, STRATA_EFORMAT, r->csv.file, r->csv.line, 0,
                        "%s of ID %llu was given before with another value; keep one of the rows.",
                        name, (unsigned long long)id);
    free(c.metric);
    return status;
}

static strata_status read_row(struct measured_reader *r)
{
    uint64_t id = 0;
    if (is_header(&r->csv))
        return read_header(r);
    if (r->layout == TABLE) {
        strata_status status = check_length(r);
        strata_cell_id(cell(r, ID), &id);
        return status == STRATA_OK ? read_wide_row(r, id) : status;
    }
    bool has_id = strata_cell_id(r->csv.cell[0], &id);
    if (r->csv.n_cells == 1 || (!has_id && r->csv.cell[0][0]))
        return STRATA_OK; /* the program's own output */
    strata_status status = check_length(r);
    if (status != STRATA_OK)
        return status;
    if (has_id)
        return r->layout == RAW_PAGE ? read_wide_row(r, id) : read_long_row(r, id);
    if (r->layout == RAW_PAGE)
        read_units_row(r);
    return STRATA_OK;
}

/* Rows of the profiler begin with a quote, a digit or an empty field; other lines are noise, and
 * their quotes need not match. */
static strata_status next_row(struct measured_reader *r)
{
    strata_status status;
    if (r->layout == TABLE)
        return strata_csv_next(&r->csv, r->err);
    while (r->csv.at < r->csv.end && (!*r->csv.at || !strchr("\"0123456789,", *r->csv.at)))
        if ((status = strata_csv_next_line(&r->csv, r->err)) != STRATA_OK || is_header(&r->csv))
            return status;
    return strata_csv_next(&r->csv, r->err);
}

strata_status strata_measured_parse(struct strata_measured *m, const char *data, size_t length,
                                    const char *file, struct strata_error *err)
{
    struct measured_reader r = {.m = m, .err = err};
    memset(m, 0, sizeof *m);
    strata_csv_open(&r.csv, data, length, file);
    m->file = strdup(file);
    strata_status status = m->file ? find_header(&r) : no_memory(&r);
    while (status == STRATA_OK && (status = next_row(&r)) == STRATA_OK)
        status = read_row(&r);
    if (status == STRATA_END)
        status =
            m->n_launches
                ? STRATA_OK
                : strata_fail(err, STRATA_EFORMAT, file, 0, 0,
                              "the table has a header but no launches; was anything profiled?");
    release_columns(&r);
    strata_csv_release(&r.csv);
    if (status != STRATA_OK)
        strata_measured_release(m);
    return status;
}

strata_status strata_measured_load(struct strata_measured *m, const char *path,
                                   struct strata_error *err)
{
    char *data;
    size_t length;
    memset(m, 0, sizeof *m);
    strata_status status = strata_file_read(path, LARGEST_FILE_BYTES, &data, &length, err);
    if (status != STRATA_OK)
        return status;
    status = strata_measured_parse(m, data, length, path, err);
    free(data);
    return status;
}

void strata_measured_release(struct strata_measured *m)
{
    for (size_t i = 0; i < m->n_launches; i++) {
        strata_result_release(&m->launch[i]);
        if (m->least)
            strata_result_release(&m->least[i]);
        if (m->most)
            strata_result_release(&m->most[i]);
    }
    free(m->least);
    free(m->most);
    for (size_t i = 0; i < m->n_warnings; i++)
        free(m->warning[i]);
    free(m->launch);
    free(m->line);
    free(m->warning);
    free(m->file);
    free(m->device);
    memset(m, 0, sizeof *m);
}
