/* Ends a process, or has a call fail, at the n-th time that it writes, syncs or renames something below a folder;
 * and tells it another time of day. Preloaded, it does nothing until a process asks for it:
 *
 *   tear_begin(under, at, how, sockets)
 *     under    the folder whose files count; with `sockets`, what is sent over sockets counts, too
 *     at       at which call (1 is the first); 0 only counts
 *     how      kill: before the call. torn: after half of a write. after: once it is done.
 *              power: as if the power went: whatever was not synced is taken back first.
 *              eio, full: the call fails with that error, and from then on every call works again.
 *              fills: from that call on, every write fails for want of room.
 *   tear_calls()         how many calls there were
 *   tear_clock(seconds)  how far the clock is off
 *
 * Writes since the last sync of a file are kept with what they overwrote, so that `power` can take them back.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

typedef struct Undo {
    struct Undo *before;
    dev_t device;
    ino_t inode;
    off_t offset, size_before;
    size_t length, held;
    char path[PATH_MAX];
    char old[];
} Undo;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Undo *undos;
static long calls, at;
static char under[PATH_MAX], how[16];
static size_t under_length;
static int sockets;
static time_t ahead;

static ssize_t (*real_write)(int, const void *, size_t);
static ssize_t (*real_pwrite)(int, const void *, size_t, off_t);
static ssize_t (*real_send)(int, const void *, size_t, int);
static int (*real_fsync)(int), (*real_fdatasync)(int), (*real_rename)(const char *, const char *);
static int (*real_ftruncate)(int, off_t), (*real_clock_gettime)(clockid_t, struct timespec *);

__attribute__((constructor)) static void prepare(void) {
    if (real_write) return;
    real_pwrite = dlsym(RTLD_NEXT, "pwrite");
    real_send = dlsym(RTLD_NEXT, "send");
    real_fsync = dlsym(RTLD_NEXT, "fsync");
    real_fdatasync = dlsym(RTLD_NEXT, "fdatasync");
    real_rename = dlsym(RTLD_NEXT, "rename");
    real_ftruncate = dlsym(RTLD_NEXT, "ftruncate");
    real_clock_gettime = dlsym(RTLD_NEXT, "clock_gettime");
    real_write = dlsym(RTLD_NEXT, "write");
}

void tear_begin(const char *folder, long when, const char *what, int also_sockets) {
    snprintf(under, sizeof under, "%s", folder);
    snprintf(how, sizeof how, "%s", what);
    under_length = strlen(under), at = when, sockets = also_sockets, calls = 0;
}

long tear_calls(void) { return calls; }
void tear_clock(long seconds) { ahead = seconds; }

static int is_ours_path(const char *path) {
    return under_length && strncmp(path, under, under_length) == 0 && !strstr(path, "-shm");
}

static int path_of(int file, char *path) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return is_ours_path(path);
}

static void take_back(void) {
    for (Undo *one = undos; one; one = one->before) {
        int file = open(one->path, O_WRONLY);
        if (file < 0) continue;
        struct stat found;
        if (fstat(file, &found) == 0 && found.st_ino == one->inode && found.st_dev == one->device) {
            if (one->held) real_pwrite(file, one->old, one->held, one->offset);
            if (one->size_before < found.st_size) real_ftruncate(file, one->size_before);
        }
        close(file);
    }
}

static void die(int power) {
    if (power) take_back();
    kill(getpid(), SIGKILL);
    for (;;) pause();
}

/* 0: go on. 1: fail with errno. 2: do half, then die. 3: do it, then die. */
static int turn(int writes) {
    calls++;
    if (at <= 0) return 0;
    if (!strcmp(how, "fills") && calls >= at && writes) return errno = ENOSPC, 1;
    if (calls != at) return 0;
    if (!strcmp(how, "kill")) die(0);
    if (!strcmp(how, "power")) die(1);
    if (!strcmp(how, "torn")) return 2;
    if (!strcmp(how, "after")) return 3;
    if (!strcmp(how, "fills")) return 0;
    errno = !strcmp(how, "full") ? ENOSPC : EIO;
    return 1;
}

static void remember_write(int file, const char *path, size_t length, off_t offset) {
    struct stat found;
    if (fstat(file, &found)) return;
    Undo *one = malloc(sizeof(Undo) + length);
    if (!one) return;
    strcpy(one->path, path);
    one->device = found.st_dev, one->inode = found.st_ino, one->offset = offset, one->length = length;
    one->size_before = found.st_size;
    int reading = open(path, O_RDONLY);
    ssize_t held = reading < 0 ? 0 : pread(reading, one->old, length, offset);
    if (reading >= 0) close(reading);
    one->held = held < 0 ? 0 : (size_t)held;
    one->before = undos;
    undos = one;
}

static void forget_writes(int file) {
    struct stat found;
    if (fstat(file, &found)) return;
    for (Undo **place = &undos; *place;) {
        Undo *one = *place;
        if (one->inode == found.st_ino && one->device == found.st_dev) *place = one->before, free(one);
        else place = &one->before;
    }
}

static ssize_t put(int file, const void *data, size_t length, off_t offset, int placed) {
    char path[PATH_MAX];
    prepare();
    if (!under_length || !path_of(file, path))
        return placed ? real_pwrite(file, data, length, offset) : real_write(file, data, length);
    pthread_mutex_lock(&lock);
    int what = turn(1);
    if (what == 1) {
        pthread_mutex_unlock(&lock);
        return -1;
    }
    off_t where = placed ? offset : lseek(file, 0, SEEK_CUR);
    if (!strcmp(how, "power")) remember_write(file, path, length, where);
    size_t some = what == 2 ? length / 2 : length;
    ssize_t done = placed ? real_pwrite(file, data, some, offset) : real_write(file, data, some);
    if (what >= 2) die(0);
    pthread_mutex_unlock(&lock);
    return done;
}

ssize_t write(int file, const void *data, size_t length) { return put(file, data, length, 0, 0); }
ssize_t pwrite(int file, const void *data, size_t length, off_t offset) { return put(file, data, length, offset, 1); }
ssize_t pwrite64(int file, const void *data, size_t length, off64_t offset) { return put(file, data, length, offset, 1); }

static int sync_with(int file, int (*real)(int)) {
    char path[PATH_MAX];
    if (!under_length || !path_of(file, path)) return real(file);
    pthread_mutex_lock(&lock);
    int what = turn(0);
    int done = what == 1 ? -1 : real(file);
    if (what >= 2) die(0);
    if (done == 0) forget_writes(file);
    pthread_mutex_unlock(&lock);
    return done;
}

int fsync(int file) { prepare(); return sync_with(file, real_fsync); }
int fdatasync(int file) { prepare(); return sync_with(file, real_fdatasync); }

int rename(const char *old, const char *new) {
    prepare();
    if (!is_ours_path(new)) return real_rename(old, new);
    pthread_mutex_lock(&lock);
    int what = turn(0);
    int done = what == 1 ? -1 : real_rename(old, new);
    if (what >= 2) die(0);
    pthread_mutex_unlock(&lock);
    return done;
}

ssize_t send(int file, const void *data, size_t length, int flags) {
    prepare();
    if (!sockets) return real_send(file, data, length, flags);
    pthread_mutex_lock(&lock);
    int what = turn(0);
    if (what == 1) errno = ECONNRESET, shutdown(file, SHUT_RDWR);
    ssize_t done = what == 1 ? -1 : real_send(file, data, what == 2 ? length / 2 : length, flags);
    if (what >= 2) die(0);
    pthread_mutex_unlock(&lock);
    return done;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    prepare();
    int done = real_clock_gettime(clock, now);
    if (done == 0 && clock == CLOCK_REALTIME) now->tv_sec += ahead;
    return done;
}
