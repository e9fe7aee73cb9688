/* models/fragments.h -- a model cut into fragments of even size.
 *
 * Tensors are dealt to fragments largest first, each to the fragment that is smallest so far (greedy bin packing, arXiv
 * 2604.21428). A tensor is never cut, so a fragment can be no smaller than the largest tensor in it. Without tensors of
 * the user's own the shape is that of a transformer of 5 billion parameters: an embedding of 151,936 x 3,072 and 40
 * layers of width 3,072 with four square attention matrices, two matrices of 3,072 x 12,288 and two norms; our
 * assumption, the paper names only the total.
 *
 * Units: parameters.
 * Ownership: the caller frees the array.
 * Errors: none; with more fragments than tensors some are empty.
 */
#ifndef MODELS_FRAGMENTS_H
#define MODELS_FRAGMENTS_H

#include "models/config.h"

/* The sizes of config->fragments fragments; they sum to config->parameters. All 0 without a network. */
double *fragments_create(const struct config *config);

/* The fragment whose turn round `round` is: fragment p has the rounds t with t mod H = floor(p H / P); -1 when none is
 * due. */
int64_t fragments_due(const struct config *config, int64_t round);

/* Rounds from `round` to the next that sends a fragment: 0 when it is `round` itself. */
int64_t fragments_rounds_until_due(const struct config *config, int64_t round);

#endif
