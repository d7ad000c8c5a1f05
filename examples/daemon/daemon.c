/* The whole loop of a host: a manifest in, replica counts out, in about 170 lines of C.  The library fetches the metrics and
 * decides; the host reads and writes the size of its workload by commands and keeps the scaler's state over a restart.
 *
 *   daemon -o 'kubectl -n ml get deploy llama -o jsonpath={.spec.replicas}' \
 *          -x 'kubectl -n ml scale deploy llama --replicas=$GPUTIDE_DESIRED' [-s STATE_FILE] llama.yaml
 *
 * -o prints the current size; -x ends with exit status 0 if it has written GPUTIDE_DESIRED.  sh runs both.  SIGTERM and SIGINT
 * end the daemon after the round in progress.  gputided run is the same for many scalers, with folders, reloads, time limits and
 * pages. */
#define _POSIX_C_SOURCE 200809L
#include "gputide/gputide.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>

enum { MAX_FILE_BYTES = 1 << 20, TICK_TIMEOUT_MS = 10000, RETRY_MS = 1000 };

static sigset_t unblocked; /* the signal mask at the start */
static sigset_t blocked;
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

static int complain(const char* subject, const gputide_error* err) {
    fprintf(stderr, "daemon: %s: %s: %s%s%s\n", subject, gputide_status_name(err->status), err->where,
            err->where[0] != '\0' ? ": " : "", err->message);
    return -1;
}

/* Returns the content of a file with a NUL behind it; NULL: it cannot be read or is larger than 1 MiB. */
static const char* read_file(const char* path) {
    static char text[MAX_FILE_BYTES + 1];
    FILE* file = fopen(path, "rb");
    if (file == NULL) return NULL;
    const size_t size = fread(text, 1, sizeof text, file);
    const int good = !ferror(file) && size <= MAX_FILE_BYTES;
    fclose(file);
    if (!good) return NULL;
    text[size] = '\0';
    return text;
}

/* Runs `sh -c command`; line receives the first line of its output.  Returns 0 if its exit status is 0.  The command must not
 * inherit blocked signals. */
static int run_command(const char* command, char* line, int line_bytes) {
    sigprocmask(SIG_SETMASK, &unblocked, NULL);
    FILE* output = popen(command, "r");
    if (output == NULL || fgets(line, line_bytes, output) == NULL) line[0] = '\0';
    while (output != NULL && fgetc(output) != EOF) continue; /* so that the command can end */
    const int status = output != NULL ? pclose(output) : -1;
    sigprocmask(SIG_SETMASK, &blocked, NULL);
    return status;
}

/* Asks the observe command for the current size. */
static gputide_observation observe(const char* command) {
    gputide_observation observation = {.struct_size = sizeof observation, .now_ms = now_ms()};
    char line[64];
    char* rest = line;
    const int status = run_command(command, line, (int)sizeof line);
    const long replicas = strtol(line, &rest, 10);
    if (status != 0 || rest == line || replicas < 0 || replicas > INT32_MAX) {
        fprintf(stderr, "daemon: the size cannot be read\n");
        observation.flags = GPUTIDE_SCALE_UNREADABLE;
        observation.message = "the observe command failed or printed no number";
    } else {
        observation.current_replicas = (int32_t)replicas;
    }
    return observation;
}

/* Writes the state beside the file and renames it, so that a crash leaves the old state or the new. */
static int save(const gputide_scaler* scaler, const char* path) {
    gputide_error err = {.struct_size = sizeof err};
    gputide_text text = {0};
    char beside[1024];
    if (gputide_scaler_save(scaler, &text, &err) != GPUTIDE_OK) return complain(path, &err);
    snprintf(beside, sizeof beside, "%s.new", path);
    FILE* file = fopen(beside, "wb");
    int good = file != NULL && fwrite(text.data, 1, (size_t)text.size_bytes, file) == text.size_bytes;
    good = good && fflush(file) == 0 && fsync(fileno(file)) == 0;
    if (file != NULL) good = fclose(file) == 0 && good;
    gputide_text_free(&text);
    if (good && rename(beside, path) == 0) return 0;
    fprintf(stderr, "daemon: %s: cannot be written: %s\n", path, strerror(errno));
    return -1;
}

/* Observes, decides, writes the size if it changes, records how that ended.  Returns when the next round is due. */
static int64_t round_of(gputide_scaler* scaler, const char* observe_command, const char* write_command) {
    gputide_error err = {.struct_size = sizeof err};
    gputide_decision next = {.struct_size = sizeof next};
    const gputide_observation observation = observe(observe_command);
    if (gputide_scaler_tick(scaler, &observation, TICK_TIMEOUT_MS, NULL, &next, NULL, &err) != GPUTIDE_OK) {
        complain("tick", &err);
        return now_ms() + RETRY_MS;
    }
    printf("%d -> %d, limited by %s\n", next.current_replicas, next.desired_replicas,
           gputide_limit_name(next.limited_by));
    fflush(stdout);
    if (next.desired_replicas != next.current_replicas) {
        char number[16], line[64];
        snprintf(number, sizeof number, "%d", next.desired_replicas);
        setenv("GPUTIDE_DESIRED", number, 1);
        const int failed = run_command(write_command, line, (int)sizeof line) != 0;
        if (failed) fprintf(stderr, "daemon: the size was not written\n");
        if (failed) next.message = "the write command failed";
        if (gputide_scaler_record(scaler, &next, !failed, now_ms(), &err) != GPUTIDE_OK) complain("record", &err);
    }
    return next.next_due_ms;
}

/* Waits until a time or a signal. */
static void wait_until(int64_t due_ms) {
    const int64_t left_ms = due_ms > now_ms() ? due_ms - now_ms() : 0;
    const struct timespec left = {.tv_sec = left_ms / 1000, .tv_nsec = left_ms % 1000 * 1000000};
    if (!ending) (void)pselect(0, NULL, NULL, NULL, &left, &unblocked);
}

int main(int argc, char** argv) {
    const char *observe_command = NULL, *write_command = NULL, *state_path = NULL;
    for (int flag; (flag = getopt(argc, argv, "o:x:s:")) != -1;) {
        if (flag == 'o') observe_command = optarg;
        if (flag == 'x') write_command = optarg;
        if (flag == 's') state_path = optarg;
        if (flag == '?') return 2;
    }
    if (observe_command == NULL || write_command == NULL || optind + 1 != argc) {
        fprintf(stderr, "usage: %s -o OBSERVE_COMMAND -x WRITE_COMMAND [-s STATE_FILE] MANIFEST\n", argv[0]);
        return 2;
    }
    /* Both signals wait until pselect or a command lets them in: none is missed between a check and a wait. */
    const struct sigaction action = {.sa_handler = end};
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGTERM);
    sigaddset(&blocked, SIGINT);
    sigprocmask(SIG_BLOCK, &blocked, &unblocked);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);

    gputide_error err = {.struct_size = sizeof err};
    gputide_options options = {.struct_size = sizeof options, .text_name = argv[optind]};
    gputide_scaler* scaler = NULL;
    options.flags = GPUTIDE_ALLOW_ENVIRONMENT;
    const char* manifest = read_file(argv[optind]);
    if (manifest == NULL) return fprintf(stderr, "daemon: %s: cannot be read or is over 1 MiB\n", argv[optind]), 2;
    if (gputide_scaler_open(manifest, GPUTIDE_TEXT, &options, &scaler, &err) != GPUTIDE_OK)
        return complain(argv[optind], &err), 2;
    const char* state = state_path != NULL ? read_file(state_path) : NULL; /* NULL at the first start */
    if (state != NULL && gputide_scaler_load(scaler, state, GPUTIDE_TEXT, &err) != GPUTIDE_OK)
        return complain(state_path, &err), gputide_scaler_free(scaler), 2;
    while (!ending) {
        const int64_t due_ms = round_of(scaler, observe_command, write_command);
        if (state_path != NULL) save(scaler, state_path);
        wait_until(due_ms);
    }
    gputide_scaler_free(scaler);
    return 0;
}
