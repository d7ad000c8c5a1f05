/* A daemon in little more than 200 lines of C: manifests in, replica counts out.  All that it knows of scaling it asks the runtime of the
 * library; what is left to a host is reading a size, writing a size, and remembering.
 *
 *   daemon -o 'kubectl -n "$GPUTIDE_NAMESPACE" get deploy "$GPUTIDE_NAME" -o jsonpath={.spec.replicas}' \
 *          -x 'kubectl -n "$GPUTIDE_NAMESPACE" scale deploy "$GPUTIDE_NAME" --replicas="$GPUTIDE_DESIRED"' [-s STATE_FOLDER] llama.yaml ...
 *
 * One scaler a file, its credentials beside it as further documents.  -o prints a number before each poll; -x ends with 0 when
 * it has written one; both run by sh -c with GPUTIDE_NAMESPACE, GPUTIDE_NAME and, for -x, GPUTIDE_DESIRED.  SIGTERM and SIGINT end it once the command that
 * runs has ended.  gputided run is the same with all that an operator misses here: folders, reloads, time limits, pages. */
#define _POSIX_C_SOURCE 200809L
#include "gputide/gputide.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char** environ;

enum { MOST_SCALERS = 256, MOST_FILE_BYTES = 1 << 20, MOST_VARIABLES = 1024, LINE_BYTES = 1024 };

static const char* observe_command;
static const char* exec_command;
static char state_paths[MOST_SCALERS][LINE_BYTES]; /* by the scaler's tag; "": nothing is remembered */
static uint64_t scaler_count;
static sigset_t unblocked; /* the signals as they were */
static volatile sig_atomic_t ending;

static void end(int number) {
    (void)number;
    ending = 1;
}

static int64_t now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void complain(const char* subject, const gputide_error* err) {
    fprintf(stderr, "daemon: %s: %s: %s%s%s\n", subject, gputide_status_name(err->status), err->where,
            err->where[0] != '\0' ? ": " : "", err->message);
}

/* The whole file with a NUL behind it, to be freed; NULL: it cannot be read or is too large. */
static char* read_file(const char* path) {
    char* text = malloc(MOST_FILE_BYTES + 1);
    FILE* file = fopen(path, "rb");
    size_t size = 0;
    if (text != NULL && file != NULL) size = fread(text, 1, MOST_FILE_BYTES + 1, file);
    const int good = text != NULL && file != NULL && !ferror(file) && size <= MOST_FILE_BYTES;
    if (file != NULL) fclose(file);
    if (!good) {
        free(text);
        return NULL;
    }
    text[size] = '\0';
    return text;
}

/* Runs `sh -c command` with the variables of a "namespace/name" and of a decision (NULL: none); the first line of its output
 * becomes a text.  0: it ended with exit status 0. */
static int run_command(const char* command, const char* full_name, const gputide_decision* decision, char* output,
                       int output_bytes) {
    static char variables[4][LINE_BYTES];
    static char* environment[MOST_VARIABLES + 5];
    const char* slash = strchr(full_name, '/');
    const char* arguments[] = {"sh", "-c", command, NULL};
    int count = 0;
    for (; environ[count] != NULL && count < MOST_VARIABLES; ++count) environment[count] = environ[count];
    snprintf(variables[0], LINE_BYTES, "GPUTIDE_NAMESPACE=%.*s", (int)(slash - full_name), full_name);
    snprintf(variables[1], LINE_BYTES, "GPUTIDE_NAME=%s", slash + 1);
    snprintf(variables[2], LINE_BYTES, "GPUTIDE_CURRENT=%d", decision != NULL ? decision->current_replicas : -1);
    snprintf(variables[3], LINE_BYTES, "GPUTIDE_DESIRED=%d", decision != NULL ? decision->desired_replicas : -1);
    for (int i = 0; i < 4; ++i) environment[count++] = variables[i];
    environment[count] = NULL;

    int ends[2];
    if (pipe(ends) != 0) return -1;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    const pid_t child = fork();
    if (child == 0) { /* until execve only what is safe beside other threads */
        sigprocmask(SIG_SETMASK, &unblocked, NULL);
        dup2(ends[1], STDOUT_FILENO);
        close(ends[1]);
        execve("/bin/sh", (char* const*)arguments, environment);
        _exit(127);
    }
    close(ends[1]);
    FILE* answer = fdopen(ends[0], "r");
    if (answer == NULL || fgets(output, output_bytes, answer) == NULL) output[0] = '\0';
    while (answer != NULL && fgetc(answer) != EOF) continue; /* so that the command can end */
    if (answer != NULL) fclose(answer);
    int status = -1;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -1;
}

/* Written beside and renamed, so that a crash leaves the old state or the new. */
static void save(gputide_runtime* runtime, const gputide_event* event) {
    gputide_error err = {.struct_size = sizeof err};
    gputide_text text = {0};
    char beside[LINE_BYTES + 8];
    const char* path = state_paths[event->tag];
    if (path[0] == '\0') return;
    if (gputide_runtime_save(runtime, event->id, &text, &err) != GPUTIDE_OK) {
        complain(path, &err);
        return;
    }
    snprintf(beside, sizeof beside, "%s.new", path);
    FILE* file = fopen(beside, "wb");
    int good = file != NULL && fwrite(text.data, 1, (size_t)text.size_bytes, file) == text.size_bytes;
    good = good && fflush(file) == 0 && fsync(fileno(file)) == 0;
    if (file != NULL) good = fclose(file) == 0 && good;
    if (!good || rename(beside, path) != 0)
        fprintf(stderr, "daemon: %s: cannot be written: %s\n", path, strerror(errno));
    gputide_text_free(&text);
}

/* 0: added, with what was remembered of it. */
static int add(gputide_runtime* runtime, const char* path, const char* state_folder) {
    gputide_error err = {.struct_size = sizeof err};
    gputide_options options = {.struct_size = sizeof options, .flags = GPUTIDE_ALLOW_ENVIRONMENT, .text_name = path};
    char* state_path = state_paths[scaler_count < MOST_SCALERS ? scaler_count : 0];
    uint64_t id = 0;
    char* manifest = scaler_count < MOST_SCALERS ? read_file(path) : NULL;
    if (manifest == NULL) {
        fprintf(stderr, "daemon: %s: cannot be read, is over 1 MiB, or the 257th\n", path);
        return -1;
    }
    const gputide_status added =
        gputide_runtime_add(runtime, manifest, GPUTIDE_TEXT, &options, scaler_count, &id, &err);
    free(manifest);
    if (added != GPUTIDE_OK) {
        complain(path, &err);
        return -1;
    }
    ++scaler_count;
    if (state_folder == NULL) return 0;
    const char* slash = strrchr(path, '/');
    snprintf(state_path, LINE_BYTES, "%s/%s.state", state_folder, slash != NULL ? slash + 1 : path);
    char* state = access(state_path, F_OK) == 0 ? read_file(state_path) : NULL;
    if (state == NULL) return 0; /* the first start */
    const gputide_status loaded = gputide_runtime_load(runtime, id, state, GPUTIDE_TEXT, &err);
    free(state);
    if (loaded != GPUTIDE_OK) complain(state_path, &err);
    return loaded == GPUTIDE_OK ? 0 : -1;
}

/* A poll is due: what is the size now? */
static void observe(gputide_runtime* runtime, const gputide_event* event) {
    gputide_error err = {.struct_size = sizeof err};
    gputide_observation observation = {.struct_size = sizeof observation, .now_ms = now_ms()};
    char output[64];
    char* rest = output;
    const int failed = run_command(observe_command, event->name, NULL, output, (int)sizeof output);
    const long replicas = strtol(output, &rest, 10);
    if (failed != 0 || rest == output || replicas < 0 || replicas > INT32_MAX) {
        fprintf(stderr, "daemon: %s: its size cannot be read\n", event->name);
        observation.flags = GPUTIDE_SCALE_UNREADABLE;
        observation.message = "the observe command failed or printed no number";
    } else {
        observation.current_replicas = (int32_t)replicas;
    }
    if (gputide_runtime_observe(runtime, event->id, &observation, &err) != GPUTIDE_OK) complain(event->name, &err);
}

/* A decision: write what it wants, and say how that went. */
static void act(gputide_runtime* runtime, const gputide_event* event, gputide_decision* decision) {
    gputide_error err = {.struct_size = sizeof err};
    char output[64];
    printf("%s %d -> %d, limited by %s\n", event->name, decision->current_replicas, decision->desired_replicas,
           gputide_limit_name(decision->limited_by));
    fflush(stdout);
    if (decision->desired_replicas != decision->current_replicas) {
        const int failed = run_command(exec_command, event->name, decision, output, (int)sizeof output);
        if (failed != 0) fprintf(stderr, "daemon: %s: its size was not written\n", event->name);
        if (failed != 0) decision->message = "the exec command failed";
        if (gputide_runtime_record(runtime, event->id, decision, failed == 0, now_ms(), &err) != GPUTIDE_OK)
            complain(event->name, &err);
    }
    save(runtime, event);
}

int main(int argc, char** argv) {
    const char* state_folder = NULL;
    for (int flag; (flag = getopt(argc, argv, "o:x:s:")) != -1;) {
        if (flag == 'o') observe_command = optarg;
        if (flag == 'x') exec_command = optarg;
        if (flag == 's') state_folder = optarg;
        if (flag == '?') return 2;
    }
    if (observe_command == NULL || exec_command == NULL || optind == argc) {
        fprintf(stderr, "usage: %s -o OBSERVE_COMMAND -x EXEC_COMMAND [-s STATE_FOLDER] MANIFEST...\n", argv[0]);
        return 2;
    }
    /* Both signals wait until pselect lets them in: none is missed between a look and a wait. */
    sigset_t blocked;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGTERM);
    sigaddset(&blocked, SIGINT);
    sigprocmask(SIG_BLOCK, &blocked, &unblocked);
    const struct sigaction action = {.sa_handler = end};
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);

    gputide_error err = {.struct_size = sizeof err};
    gputide_runtime_options options = {.struct_size = sizeof options, .flags = GPUTIDE_RUNTIME_OBSERVE_FIRST};
    gputide_runtime* runtime = NULL;
    int32_t wake_fd = -1;
    if (gputide_runtime_new(&options, &runtime, &err) != GPUTIDE_OK ||
        gputide_runtime_wake_fd(runtime, &wake_fd, &err) != GPUTIDE_OK) {
        complain("the runtime", &err);
        return 3;
    }
    int failed = 0;
    for (int i = optind; i < argc && failed == 0; ++i) failed = add(runtime, argv[i], state_folder);
    while (failed == 0 && !ending) {
        gputide_event event = {.struct_size = sizeof event};
        gputide_decision decision = {.struct_size = sizeof decision};
        gputide_status status = gputide_runtime_step(runtime, now_ms(), NULL, &err);
        if (status == GPUTIDE_OK) status = gputide_runtime_next_event(runtime, 0, NULL, &event, &decision, NULL, &err);
        if (status == GPUTIDE_OK && event.kind == GPUTIDE_EVENT_DUE) {
            observe(runtime, &event);
        } else if (status == GPUTIDE_OK) {
            act(runtime, &event, &decision);
        } else if (status != GPUTIDE_E_NO_DATA) {
            complain("the runtime", &err);
            failed = 1;
        } else {
            fd_set readable;
            FD_ZERO(&readable);
            FD_SET(wake_fd, &readable);
            (void)pselect(wake_fd + 1, &readable, NULL, NULL, NULL, &unblocked);
            if (gputide_runtime_step(runtime, now_ms(), NULL, &err) != GPUTIDE_OK) complain("the runtime", &err);
        }
    }
    gputide_runtime_free(runtime);
    return failed == 0 ? 0 : 2;
}
