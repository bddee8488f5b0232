/* team_mpi.c - messages between the processes of a command by MPI; built as a library of its own.
 */
#include <mpi.h>
#include <limits.h>
#include <stdlib.h>
#include <time.h>

#include <strata/team.h>

strata_status strata_mpi_join(struct strata_team *team, struct strata_error *err);
void strata_mpi_leave(struct strata_team *team);

enum { TAG = 1 };

static strata_status broken(const char *what, struct strata_error *err)
{
    return strata_fail(
        err, STRATA_EIO, NULL, 0, 0,
        "MPI could not %s a message; start the command again, what a sweep stored is kept.", what);
}

static strata_status send_message(void *context, int to, const void *data, size_t length,
                                  struct strata_error *err)
{
    (void)context;
    if (length > INT_MAX ||
        MPI_Send(data, (int)length, MPI_BYTE, to, TAG, MPI_COMM_WORLD) != MPI_SUCCESS)
        return broken("send", err);
    return STRATA_OK;
}

/* MPI_Recv would keep a core busy while it waits. */
static strata_status wait_for_message(MPI_Status *status, struct strata_error *err)
{
    struct timespec pause = {0, 20000};
    for (;;) {
        int there = 0;
        if (MPI_Iprobe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &there, status) != MPI_SUCCESS)
            return broken("receive", err);
        if (there)
            return STRATA_OK;
        nanosleep(&pause, NULL);
        if (pause.tv_nsec < 1000000)
            pause.tv_nsec *= 2;
    }
}

static strata_status receive_message(void *context, int *from, void **data, size_t *length,
                                     struct strata_error *err)
{
    MPI_Status status;
    int n = 0;
    (void)context;
    strata_status result = wait_for_message(&status, err);
    if (result != STRATA_OK)
        return result;
    MPI_Get_count(&status, MPI_BYTE, &n);
    *data = malloc((size_t)n + 1);
    if (!*data)
        return strata_no_memory(err, NULL, "for a message of another process");
    *from = status.MPI_SOURCE;
    *length = (size_t)n;
    if (MPI_Recv(*data, n, MPI_BYTE, *from, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE) !=
        MPI_SUCCESS) {
        free(*data);
        return broken("receive", err);
    }
    return STRATA_OK;
}

static bool is_waiting(void *context)
{
    int there = 0;
    (void)context;
    return MPI_Iprobe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE) ==
               MPI_SUCCESS &&
           there;
}

strata_status strata_mpi_join(struct strata_team *team, struct strata_error *err)
{
    int provided;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS)
        return strata_fail(err, STRATA_EUNSUPPORTED, NULL, 0, 0,
                           "MPI could not be started; check `mpirun -np 2 hostname`.");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &team->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &team->size);
    team->context = NULL;
    team->send = send_message;
    team->receive = receive_message;
    team->waiting = is_waiting;
    return STRATA_OK;
}

void strata_mpi_leave(struct strata_team *team)
{
    if (!team->lost)
        MPI_Finalize(); /* which waits for all */
}
