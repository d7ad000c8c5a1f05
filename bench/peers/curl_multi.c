/* As little as a program can do that polls with libcurl: easy handles made once, one multi handle, a new URL per poll, the
 * body kept and not read.  The requests, the pace and the most connections are those of gputide_bench_runtime.
 *   gputide_bench_peer_curl URL LABEL TRIGGERS PERIOD_S FIRST_S WINDOW_S      CA: SSL_CERT_FILE */
#define _POSIX_C_SOURCE 200809L
#include <curl/curl.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { max_handles = 16384, max_body = 4096, max_connections = 64 };

struct poll {
    CURL* easy;
    size_t size;
    char body[max_body];
};

static struct poll polls[max_handles];
static struct poll* idle[max_handles];
static size_t idle_count;
static size_t made_count;
static const char* server;

static void give_up(const char* why) {
    fprintf(stderr, "bench curl: %s\n", why);
    exit(1);
}

static double monotonic_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double processor_s(void) {
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e-6;
}

static size_t keep_body(char* bytes, size_t part_bytes, size_t count, void* into) {
    struct poll* of = into;
    const size_t size = part_bytes * count;
    if (size > max_body - of->size) return 0;
    memcpy(of->body + of->size, bytes, size);
    of->size += size;
    return size;
}

static struct poll* take_idle(void) {
    if (idle_count > 0) return idle[--idle_count];
    if (made_count == max_handles) give_up("more polls at once than there are handles");
    struct poll* out = &polls[made_count++];
    out->easy = curl_easy_init();
    curl_easy_setopt(out->easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(out->easy, CURLOPT_ACCEPT_ENCODING, "gzip");
    curl_easy_setopt(out->easy, CURLOPT_USERAGENT, "gputide/0.2.0");
    curl_easy_setopt(out->easy, CURLOPT_TIMEOUT_MS, 10000L);
    curl_easy_setopt(out->easy, CURLOPT_CAINFO, getenv("SSL_CERT_FILE"));
    curl_easy_setopt(out->easy, CURLOPT_WRITEFUNCTION, &keep_body);
    curl_easy_setopt(out->easy, CURLOPT_WRITEDATA, out);
    curl_easy_setopt(out->easy, CURLOPT_PRIVATE, out);
    return out;
}

static void start(CURLM* on, long trigger) {
    char url[512];
    char when[32];
    const time_t now = time(NULL);
    struct tm parts;
    strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &parts));
    snprintf(url, sizeof url,
             "%s/api/v1/query?query=avg%%28DCGM_FI_DEV_GPU_UTIL%%7Bdeployment%%3D%%22app-%ld%%22%%7D%%29&time=%s",
             server, trigger, when);
    struct poll* next = take_idle();
    next->size = 0;
    curl_easy_setopt(next->easy, CURLOPT_URL, url);
    curl_multi_add_handle(on, next->easy);
}

static long finish_ended(CURLM* on) {
    long out = 0;
    int left = 0;
    for (const CURLMsg* said = curl_multi_info_read(on, &left); said != NULL; said = curl_multi_info_read(on, &left)) {
        CURL* easy = said->easy_handle;
        struct poll* current = NULL;
        long status = 0;
        curl_easy_getinfo(easy, CURLINFO_PRIVATE, (char**)&current);
        curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
        if (said->data.result != CURLE_OK || status != 200 || current->size == 0) give_up("a poll failed");
        curl_multi_remove_handle(on, easy);
        idle[idle_count++] = current;
        ++out;
    }
    return out;
}

int main(int argc, char** argv) {
    if (argc != 7) return fprintf(stderr, "usage: URL LABEL TRIGGERS PERIOD_S FIRST_S WINDOW_S\n"), 2;
    server = argv[1];
    const long triggers = atol(argv[3]);
    const double apart_s = atof(argv[4]) / (double)triggers;
    curl_global_init(CURL_GLOBAL_DEFAULT);
    CURLM* multi = curl_multi_init();
    curl_multi_setopt(multi, CURLMOPT_MAX_HOST_CONNECTIONS, (long)max_connections);
    const double begin_s = monotonic_s();
    const double window_s = begin_s + atof(argv[5]);
    const double end_s = window_s + atof(argv[6]);
    double busy_s = -1;
    long sent = 0;
    long counted = 0;
    for (;;) {
        const double now_s = monotonic_s();
        if (now_s >= end_s) break;
        if (busy_s < 0 && now_s >= window_s) {
            busy_s = processor_s();
            counted = 0;
        }
        while (begin_s + (double)sent * apart_s <= now_s) start(multi, sent++ % triggers);
        int running = 0;
        curl_multi_perform(multi, &running);
        counted += finish_ended(multi);
        const double wait_ms = (begin_s + (double)sent * apart_s - monotonic_s()) * 1e3;
        curl_multi_poll(multi, NULL, 0, wait_ms > 0 ? (int)wait_ms + 1 : 0, NULL);
    }
    busy_s = processor_s() - busy_s;
    printf(
        "[{\"of\":\"runtime_%s_polls\",\"peer\":\"curl\",\"baseline\":\"bare libcurl multi loop, body not "
        "read\",\"value\":%.1f,"
        "\"note\":\"same requests, same pace; %ld polls\"}]\n",
        argv[2], (double)counted / busy_s, counted);
    return 0;
}
