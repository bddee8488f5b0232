/* Two processes and one database: how they meet is arranged by the call with which SQLite locks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/database.h"

enum { MEETING_MS = 200 };

static atomic_int *readers; /* processes that have locked the file to read it */

static void wait_a_millisecond(void)
{
    usleep(1000);
}

/* After the first lock to read it waits for the other process, which is then about to do the same;
 * a process that is refused keeps what it has for a while. So each finds the other in its way. */
static int lock_and_meet(int file, int command, ...)
{
    static bool has_read;
    va_list arguments;
    va_start(arguments, command);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    const struct flock *lock = argument;
    int result = fcntl(file, command, argument);
    if (command != F_SETLK)
        return result;
    if (!result && lock->l_type == F_RDLCK && lock->l_len > 1 && !has_read) {
        has_read = true;
        atomic_fetch_add(readers, 1);
        for (int ms = 0; ms < MEETING_MS && atomic_load(readers) < 2; ms++)
            wait_a_millisecond();
    }
    for (int ms = 0; result && lock->l_type == F_WRLCK && ms < MEETING_MS; ms++)
        wait_a_millisecond();
    return result;
}

static bool opens(const char *path)
{
    static const char *const no_text[1] = {"SELECT 1"};
    struct strata_database d;
    struct strata_error err;
    strata_status status =
        strata_database_open(&d, path, "a test", "CREATE TABLE t(x);", no_text, 1, &err);
    /* what has it keeps it until the other has tried */
    for (int ms = 0; status == STRATA_OK && ms < MEETING_MS; ms++)
        wait_a_millisecond();
    if (status == STRATA_OK)
        strata_database_close(&d);
    return status == STRATA_OK;
}

static void one_of_two_processes_that_open_a_file_together_gets_it(void **state)
{
    (void)state;
    char folder[] = "/tmp/t_database.XXXXXX", path[64];
    sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
    assert_int_equal(sqlite3_initialize(), SQLITE_OK);
    if (!vfs || vfs->iVersion < 3)
        skip();
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/r.db", folder);
    readers =
        mmap(NULL, sizeof *readers, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(readers != MAP_FAILED);
    assert_int_equal(vfs->xSetSystemCall(vfs, "fcntl", (sqlite3_syscall_ptr)lock_and_meet),
                     SQLITE_OK);
    int n_opened = 0, code;
    for (int i = 0; i < 2; i++)
        if (!fork())
            _exit(opens(path) ? 0 : 1);
    while (wait(&code) > 0)
        n_opened += WIFEXITED(code) && !WEXITSTATUS(code);
    unlink(path);
    rmdir(folder);
    assert_int_equal(n_opened, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_of_two_processes_that_open_a_file_together_gets_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
