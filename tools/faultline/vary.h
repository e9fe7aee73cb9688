/* tools/faultline/vary.h -- the cells of a sweep: every combination of what is varied.
 *
 * A sweep has dimensions. Each --vary is one; all --zip together are one, in which their keys move in step; a list of
 * cells from a file is one, too. The cells are all combinations, the last dimension moving fastest. Values are lists of
 * what the key takes and of ranges, separated by commas outside parentheses and brackets: `1,2,4..64 x2`,
 * `0..60s +5s`, `1..4`.
 *
 * Units: none; values are texts with units of their own.
 * Ownership: vary_create and vary_destroy; texts belong to the vary.
 * Errors: -1 with a text that names the option, the key and the value. The vary is then only good for vary_destroy.
 */
#ifndef TOOLS_FAULTLINE_VARY_H
#define TOOLS_FAULTLINE_VARY_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/error.h"
#include "tools/faultline/keys.h"

#define VARY_CELLS_MAX 100000
#define VARY_KEYS_MAX 32

struct vary;

struct vary *vary_create(void);
void vary_destroy(struct vary *vary);

/* Adds what follows --vary or, when it is zipped, --zip: KEY=LIST. */
int vary_add(struct vary *vary, const char *spec, bool is_zipped, struct sim_error *error);

/* Adds the cells of a file ("-" is stdin): one a line as KEY=VALUE KEY=VALUE, every line with the same keys. Empty
 * lines and what follows a # at the start of a line are skipped. */
int vary_add_file(struct vary *vary, const char *path, struct sim_error *error);

/* Checks that what is zipped has one length and that the cells are not too many. Required before the functions below.
 */
int vary_finish(struct vary *vary, struct sim_error *error);

size_t vary_cells(const struct vary *vary);
size_t vary_keys(const struct vary *vary);
const char *vary_key(const struct vary *vary, size_t key);

/* "KEY=VALUE" of a cell, and the value in it. */
const char *vary_setting(const struct vary *vary, size_t cell, size_t key);
const char *vary_value(const struct vary *vary, size_t cell, size_t key);

/* Hands one element of a list, a value or a range, to `add` value by value. In vary_range.c. */
int vary_expand(const struct keys_key *key, const char *element, void (*add)(void *context, const char *value),
                void *context, struct sim_error *error);

/* Reads LOW..HIGH of a key that is a number, and the unit that HIGH is written in. In vary_range.c. */
int vary_bounds(const struct keys_key *key, const char *range, double *ret_low, double *ret_high, double *ret_unit,
                struct sim_error *error);

#endif
