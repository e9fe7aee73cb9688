/* tools/faultline/html.h -- text of any content inside HTML and the SVG in it.
 *
 * Units: none.
 * Ownership: nothing is kept.
 * Errors: none; a failed write is found when the stream is closed.
 */
#ifndef TOOLS_FAULTLINE_HTML_H
#define TOOLS_FAULTLINE_HTML_H

#include <stdio.h>

/* `text` as it reads, in an element or a quoted attribute: marks are escaped; control characters and what is no UTF-8
 * become U+FFFD. */
void html_text(FILE *to, const char *text);

#endif
