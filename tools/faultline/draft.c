#include "tools/faultline/draft.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/faultline/alloc.h"

int draft_open(const char *path, const char *what, struct draft *ret, struct sim_error *error)
{
    struct alloc_draft name;
    struct stat status;
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
        return sim_error_set(error, "%s: exists and is not a file: a %s would take its place", path, what);
    alloc_draft_start(&name);
    (void)fprintf(name.to, "%s.part-%ld", path, (long)getpid());
    struct draft draft = {.what = what, .path = alloc_text(path), .beside = alloc_draft_finish(&name)};
    draft.to = fopen(draft.beside, "wx");
    if (draft.to != NULL) {
        *ret = draft;
        return 0;
    }
    (void)sim_error_set(error, "%s: %s", draft.beside, strerror(errno));
    draft_abandon(&draft);
    return -1;
}

int draft_finish(struct draft *draft, int failure, struct sim_error *error)
{
    bool is_written = failure == 0 && ferror(draft->to) == 0 && fflush(draft->to) == 0 && fsync(fileno(draft->to)) == 0;
    if (!is_written && failure == 0)
        failure = errno != 0 ? errno : EIO;
    bool is_closed = fclose(draft->to) == 0;
    draft->to = NULL;
    if (failure == 0 && (!is_closed || rename(draft->beside, draft->path) != 0))
        failure = errno;
    if (failure != 0) {
        (void)unlink(draft->beside);
        (void)sim_error_set(error, "%s: the %s cannot be written: %s", draft->path, draft->what, strerror(failure));
    }
    draft_abandon(draft);
    return failure == 0 ? 0 : -1;
}

void draft_abandon(struct draft *draft)
{
    if (draft->to != NULL) {
        (void)fclose(draft->to);
        (void)unlink(draft->beside);
    }
    free(draft->path);
    free(draft->beside);
    *draft = (struct draft){0};
}
