/* Written by bindings/generator from bindings/native/library.h: change that, then run python3 -m bindings.generator. */
/* Finds, checks and opens libgputide-full.so.1 for the bindings that are made of C, once per process.
 *
 * The places, in this order: a path given in code, GPUTIDE_LIBRARY, the file beside the package, the system's search.
 * The first two are final; the third gives way to the fourth only where the file is absent.  gputide_calls.h then makes
 * every function of the headers a call through one of the three tables. */
#ifndef GPUTIDE_NATIVE_LIBRARY_H
#define GPUTIDE_NATIVE_LIBRARY_H

#include "gputide_calls.h"

#define GPUTIDE_NATIVE __attribute__((visibility("hidden")))

#ifdef __cplusplus
extern "C" {
#endif

/* NULL until gputide_library_open has succeeded.  Read gputide_table with __atomic_load_n where another thread may be
 * opening the library; the other two are set before it. */
extern GPUTIDE_NATIVE const gputide_api_table* gputide_table;
extern GPUTIDE_NATIVE const gputide_plan_api_table* gputide_plan_table;
extern GPUTIDE_NATIVE const gputide_kubernetes_api_table* gputide_kubernetes_table;

/* NULL: the library is open.  Else why not, without a last LF: what was wanted, each place that was tried, what was
 * found there, and the remedy; end it with free.  Any thread; where the library is open already, nothing is opened.
 *   path      this file and no other; a message also where another one is open.  NULL: by the places above.
 *   bundled   the absolute path of the file beside the package; NULL: the package holds none. */
GPUTIDE_NATIVE char* gputide_library_open(const char* path, const char* bundled);

/* The file that the functions come from.  Static; "" until the library is open. */
GPUTIDE_NATIVE const char* gputide_library_path(void);

#ifdef __cplusplus
}
#endif

#endif /* GPUTIDE_NATIVE_LIBRARY_H */
