/* Names of kernels for people; what they should be is what c++filt writes, less result and
 * parameters. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <strata/kernel_name.h>

static void names_are_as_their_source_writes_them(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"_Z4gemmPfi", "gemm"},
        {"_ZL4gemmPfi", "gemm"},
        {"_Z4gemmILi8EfEvPT0_", "gemm<8, float>"},
        {"_Z4gemmILin3ELb1EPKfEvv", "gemm<-3, true, float const*>"},
        {"_ZN2ns4initILi4EEEvPf", "ns::init<4>"},
        {"_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_"
         "11FillFunctorIfEESt5arrayIPcLm1EEEEvi"
         "T0_T1_",
         "at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, "
         "std::array<char*, 1>>"},
        {"_ZN12_GLOBAL__N_120softmax_warp_forwardIfLb0EEEvPT_",
         "(anonymous)::softmax_warp_forward<float, "
         "false>"},
        {"_Z1kIJifEEvDpT_", "k<int, float>"},
        {"_Z1kIA4_fEvv", "k<float [4]>"},
        {"_Z1kILN2ns4KindE2EEvv", "k<(ns::Kind)2>"},
        {"_Z1kIZ4mainEUlvE_EvT_", "k<...>"}, /* a lambda */
        {"_ZN2ns1kIXadL_Z1fvEEEEvv", "ns::k<...>"},
        {"gemm(float *, int)", "gemm"},
        {"void ns::gemm<8>(float *, void (*)(int))", "ns::gemm<8>"},
        {"gemm", "gemm"},
        {"", ""},
        {"_Z", "_Z"},
        {"_Z99gemm", "_Z99gemm"},
        {"_ZN", "_ZN"},
        {"_Z1kIS9_Evv", "k<...>"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char shown[200];
        strata_kernel_display_name(cases[i][0], shown, sizeof shown);
        assert_string_equal(shown, cases[i][1]);
    }
}

/* Behind each name lies a page that cannot be read. */
static void names_cut_anywhere_are_read_to_their_end_only(void **state)
{
    (void)state;
    static const char *const names[] = {"_ZN2ns4initILi4EEEvPf",     "_ZN2ns4initILn34iE",
                                        "_ZN2ns1kIA4_fEE",           "_ZN2ns1kIS0_EE",
                                        "_ZN2ns1kIPKNS_3abcEJifEEE", "_ZNSt3absIdEE"};
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *two = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(two != MAP_FAILED);
    assert_int_equal(mprotect(two + page, page, PROT_NONE), 0);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        for (size_t n = 0; n <= strlen(names[i]); n++) {
            char shown[200], *name = two + page - n - 1;
            memcpy(name, names[i], n);
            name[n] = '\0';
            strata_kernel_display_name(name, shown, sizeof shown);
            assert_true(strlen(shown) < sizeof shown);
        }
    munmap(two, 2 * page);
}

static void endless_names_end(void **state)
{
    (void)state;
    char name[4096] = "_Z1kI", shown[40];
    memset(name + 5, 'P', sizeof name - 6);
    strata_kernel_display_name(name, shown, sizeof shown);
    assert_string_equal(shown, "k<...>");
    memset(name, 'a', sizeof name - 1);
    strata_kernel_display_name(name, shown, sizeof shown);
    assert_int_equal(strlen(shown), sizeof shown - 1);
    assert_string_equal(shown + sizeof shown - 4, "...");
}

static void a_launch_has_one_name(void **state)
{
    (void)state;
    char name[STRATA_LAUNCH_NAME_SIZE];
    strata_launch_name("app", "kernel-3", 3, "_Z4gemmILi8EEvPf", name);
    assert_string_equal(name, "app/kernel-3  gemm<8>");
    strata_launch_name("", "", 3, "_Z4gemmILi8EEvPf", name);
    assert_string_equal(name, "3:gemm<8>");
    strata_launch_name("app", "kernel-3", 3, "", name);
    assert_string_equal(name, "app/kernel-3");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_as_their_source_writes_them),
        cmocka_unit_test(names_cut_anywhere_are_read_to_their_end_only),
        cmocka_unit_test(endless_names_end),
        cmocka_unit_test(a_launch_has_one_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
