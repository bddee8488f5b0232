/* reader_warnings.h - what a launch's trace gives cause to say beside a result. */
#ifndef STRATA_PREDICT_READER_WARNINGS_H
#define STRATA_PREDICT_READER_WARNINGS_H

#include <strata/result.h>

/* The reader's own warnings, and one where the launch's code has what the model does not follow.
 * Call it when the blocks were read: the code is known then. */
void reader_warnings(const struct strata_reader *reader, const struct strata_model *model,
                     struct strata_result *result);

#endif
