/* The corpus of a fuzz target in a build without libFuzzer: every file of the folders that are named is an input.
 * Prints TAP; the last name on stderr is the input that ended it. */
#include <dirent.h>

#include "tests/fuzz/fuzz.h"

static int replayed;

static void replay_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    FUZZ_ASSERT(file != NULL);
    (void)fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    uint8_t *bytes = malloc((size_t)size + 1);
    FUZZ_ASSERT(bytes != NULL && fread(bytes, 1, (size_t)size, file) == (size_t)size);
    (void)fclose(file);
    fprintf(stderr, "# %s\n", path);
    (void)LLVMFuzzerTestOneInput(bytes, (size_t)size);
    free(bytes);
    replayed++;
}

static int is_input(const struct dirent *entry)
{
    return entry->d_type == DT_REG;
}

static void replay_folder(const char *folder)
{
    struct dirent **entry = NULL;
    int entries = scandir(folder, &entry, is_input, alphasort);
    for (int i = 0; i < entries; i++) {
        char path[4096];
        (void)snprintf(path, sizeof path, "%s/%s", folder, entry[i]->d_name);
        replay_file(path);
        free(entry[i]);
    }
    free(entry);
}

int main(int argc, char **argv)
{
    for (int i = 2; i < argc; i++)
        replay_folder(argv[i]);
    printf("1..1\n%s 1 - %s: %d inputs\n", replayed > 0 ? "ok" : "not ok", argc > 1 ? argv[1] : "", replayed);
    return replayed > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
