/*
 * Preloaded into a part, records in order all changes of files under one directory, and all syncs. A change is recorded
 * before its call returns: everything that a part has acknowledged is in the log, however it is killed.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#define FDS_MAX 65536

enum operation { OPEN = 1, CLOSE, WRITE, TRUNCATE, SYNC, RENAME, UNLINK, MKDIR, RMDIR, LINK, BLIND };

struct record {
  uint32_t mark;
  uint32_t operation;
  int64_t fd;
  int64_t number;
  uint64_t bytes;
};
#define MARK 0x57504450u

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t started = PTHREAD_ONCE_INIT;
static char root[PATH_MAX];
static size_t root_length;
static int log_fd = -1;
/* Zero: unused. */
static ino_t watched[FDS_MAX];

#define REAL(name) ((__typeof__(&name))real_of(#name))

static void *real_of(const char *name) {
  void *found = dlsym(RTLD_NEXT, name);
  if (!found) abort();
  return found;
}

static void start(void) {
  const char *directory = getenv("DISK_LOG_ROOT"), *path = getenv("DISK_LOG_FILE");
  if (!directory || !path || strlen(directory) >= sizeof root) return;
  log_fd = REAL(open)(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (log_fd < 0) abort();
  root_length = strlen(directory);
  memcpy(root, directory, root_length);
}

static int is_inside(const char *path) {
  pthread_once(&started, start);
  return root_length > 0 && path && strncmp(path, root, root_length) == 0 &&
         (path[root_length] == '/' || path[root_length] == '\0');
}

/* Some are closed without the C library: a number that refers to another file by now must not count as this one. */
static int is_watched(int fd) {
  struct stat found;
  if (fd < 0 || fd >= FDS_MAX || !watched[fd]) return 0;
  int kept = errno;
  int same = fstat(fd, &found) == 0 && found.st_ino == watched[fd] && (S_ISREG(found.st_mode) || S_ISDIR(found.st_mode));
  errno = kept;
  if (!same) watched[fd] = 0;
  return same;
}

static void put(const void *bytes, size_t length) {
  const char *from = bytes;
  while (length > 0) {
    ssize_t written = REAL(write)(log_fd, from, length);
    if (written < 0 && errno == EINTR) continue;
    /* A log with a hole would prove anything. */
    if (written <= 0) abort();
    from += written;
    length -= written;
  }
}

static void note(struct record what, const struct iovec *parts, int count) {
  int kept = errno;
  what.mark = MARK;
  put(&what, sizeof what);
  uint64_t left = what.bytes;
  for (int at = 0; at < count && left > 0; at++) {
    size_t length = parts[at].iov_len < left ? parts[at].iov_len : left;
    put(parts[at].iov_base, length);
    left -= length;
  }
  errno = kept;
}

static void note_path(enum operation operation, int fd, int64_t number, const char *path) {
  struct iovec part = {(void *)path, strlen(path)};
  note((struct record){.operation = operation, .fd = fd, .number = number, .bytes = part.iov_len}, &part, 1);
}

static void note_paths(enum operation operation, const char *from, const char *to) {
  struct iovec parts[] = {{(void *)from, strlen(from) + 1}, {(void *)to, strlen(to)}};
  note((struct record){.operation = operation, .bytes = parts[0].iov_len + parts[1].iov_len}, parts, 2);
}

static void note_fd(enum operation operation, int fd, int64_t number) {
  note((struct record){.operation = operation, .fd = fd, .number = number}, NULL, 0);
}

/** Something that this log does not follow: its reader must report that. */
static void note_blind(const char *what) { note_path(BLIND, 0, 0, what); }

static int opened(int fd, const char *path, int flags) {
  if (fd < 0) return fd;
  struct stat found;
  if (fd >= FDS_MAX || fstat(fd, &found) != 0) note_blind("a descriptor that is too high");
  else {
    watched[fd] = found.st_ino;
    note_path(OPEN, fd, flags, path);
    if (flags & O_TRUNC) note_fd(TRUNCATE, fd, 0);
  }
  return fd;
}

#define MODE_OF(flags, last)                                                                                           \
  mode_t mode = 0;                                                                                                     \
  if ((flags) & (O_CREAT | O_TMPFILE)) {                                                                               \
    va_list more;                                                                                                      \
    va_start(more, last);                                                                                              \
    mode = va_arg(more, mode_t);                                                                                       \
    va_end(more);                                                                                                      \
  }

#define OPENING(name)                                                                                                  \
  int name(const char *path, int flags, ...) {                                                                         \
    MODE_OF(flags, flags)                                                                                              \
    if (!is_inside(path)) return REAL(name)(path, flags, mode);                                                        \
    pthread_mutex_lock(&turn);                                                                                         \
    int fd = opened(REAL(name)(path, flags, mode), path, flags);                                                       \
    pthread_mutex_unlock(&turn);                                                                                       \
    return fd;                                                                                                         \
  }
OPENING(open)
OPENING(open64)

#define OPENING_AT(name)                                                                                               \
  int name(int at, const char *path, int flags, ...) {                                                                 \
    MODE_OF(flags, flags)                                                                                              \
    if (!is_inside(path)) {                                                                                            \
      if (is_watched(at) && path[0] != '/') {                                                                          \
        pthread_mutex_lock(&turn);                                                                                     \
        note_blind("openat");                                                                                          \
        pthread_mutex_unlock(&turn);                                                                                   \
      }                                                                                                                \
      return REAL(name)(at, path, flags, mode);                                                                        \
    }                                                                                                                  \
    pthread_mutex_lock(&turn);                                                                                         \
    int fd = opened(REAL(name)(at, path, flags, mode), path, flags);                                                   \
    pthread_mutex_unlock(&turn);                                                                                       \
    return fd;                                                                                                         \
  }
OPENING_AT(openat)
OPENING_AT(openat64)

int close(int fd) {
  if (!is_watched(fd)) return REAL(close)(fd);
  pthread_mutex_lock(&turn);
  watched[fd] = 0;
  note_fd(CLOSE, fd, 0);
  int result = REAL(close)(fd);
  pthread_mutex_unlock(&turn);
  return result;
}

static void note_write(int fd, int64_t offset, ssize_t written, const struct iovec *parts, int count) {
  if (written > 0)
    note((struct record){.operation = WRITE, .fd = fd, .number = offset, .bytes = written}, parts, count);
}

/** The position of bytes that were written without an explicit one. */
static int64_t place_of(int fd, ssize_t written) { return written > 0 ? lseek(fd, 0, SEEK_CUR) - written : 0; }

ssize_t write(int fd, const void *bytes, size_t length) {
  if (!is_watched(fd)) return REAL(write)(fd, bytes, length);
  pthread_mutex_lock(&turn);
  struct iovec part = {(void *)bytes, length};
  ssize_t written = REAL(write)(fd, bytes, length);
  note_write(fd, place_of(fd, written), written, &part, 1);
  pthread_mutex_unlock(&turn);
  return written;
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
  if (!is_watched(fd)) return REAL(writev)(fd, parts, count);
  pthread_mutex_lock(&turn);
  ssize_t written = REAL(writev)(fd, parts, count);
  note_write(fd, place_of(fd, written), written, parts, count);
  pthread_mutex_unlock(&turn);
  return written;
}

#define WRITING_AT(name, offset_type)                                                                                  \
  ssize_t name(int fd, const void *bytes, size_t length, offset_type offset) {                                         \
    if (!is_watched(fd)) return REAL(name)(fd, bytes, length, offset);                                                 \
    pthread_mutex_lock(&turn);                                                                                         \
    struct iovec part = {(void *)bytes, length};                                                                       \
    ssize_t written = REAL(name)(fd, bytes, length, offset);                                                           \
    note_write(fd, offset, written, &part, 1);                                                                         \
    pthread_mutex_unlock(&turn);                                                                                       \
    return written;                                                                                                    \
  }
WRITING_AT(pwrite, off_t)
WRITING_AT(pwrite64, off64_t)

#define WRITING_PARTS_AT(name, offset_type)                                                                            \
  ssize_t name(int fd, const struct iovec *parts, int count, offset_type offset) {                                     \
    if (!is_watched(fd)) return REAL(name)(fd, parts, count, offset);                                                  \
    pthread_mutex_lock(&turn);                                                                                         \
    ssize_t written = REAL(name)(fd, parts, count, offset);                                                            \
    note_write(fd, offset, written, parts, count);                                                                     \
    pthread_mutex_unlock(&turn);                                                                                       \
    return written;                                                                                                    \
  }
WRITING_PARTS_AT(pwritev, off_t)
WRITING_PARTS_AT(pwritev64, off64_t)

#define TRUNCATING(name, length_type)                                                                                  \
  int name(int fd, length_type length) {                                                                               \
    if (!is_watched(fd)) return REAL(name)(fd, length);                                                                \
    pthread_mutex_lock(&turn);                                                                                         \
    int result = REAL(name)(fd, length);                                                                               \
    if (result == 0) note_fd(TRUNCATE, fd, length);                                                                    \
    pthread_mutex_unlock(&turn);                                                                                       \
    return result;                                                                                                     \
  }
TRUNCATING(ftruncate, off_t)
TRUNCATING(ftruncate64, off64_t)

#define SYNCING(name)                                                                                                  \
  int name(int fd) {                                                                                                   \
    if (!is_watched(fd)) return REAL(name)(fd);                                                                        \
    pthread_mutex_lock(&turn);                                                                                         \
    int result = REAL(name)(fd);                                                                                       \
    if (result == 0) note_fd(SYNC, fd, 0);                                                                             \
    pthread_mutex_unlock(&turn);                                                                                       \
    return result;                                                                                                     \
  }
SYNCING(fsync)
SYNCING(fdatasync)

#define BY_PATH(name, operation, arguments, ...)                                                                       \
  int name arguments {                                                                                                 \
    if (!is_inside(path)) return REAL(name)(__VA_ARGS__);                                                              \
    pthread_mutex_lock(&turn);                                                                                         \
    int result = REAL(name)(__VA_ARGS__);                                                                              \
    if (result == 0) note_path(operation, 0, 0, path);                                                                 \
    pthread_mutex_unlock(&turn);                                                                                       \
    return result;                                                                                                     \
  }
BY_PATH(unlink, UNLINK, (const char *path), path)
BY_PATH(rmdir, RMDIR, (const char *path), path)
BY_PATH(mkdir, MKDIR, (const char *path, mode_t mode), path, mode)
BY_PATH(mkdirat, MKDIR, (int at, const char *path, mode_t mode), at, path, mode)
BY_PATH(unlinkat, (flags & AT_REMOVEDIR) ? RMDIR : UNLINK, (int at, const char *path, int flags), at, path, flags)

#define BY_PATHS(name, operation, arguments, ...)                                                                      \
  int name arguments {                                                                                                 \
    if (!is_inside(path) && !is_inside(to)) return REAL(name)(__VA_ARGS__);                                            \
    pthread_mutex_lock(&turn);                                                                                         \
    int result = REAL(name)(__VA_ARGS__);                                                                              \
    if (result == 0 && is_inside(path) && is_inside(to)) note_paths(operation, path, to);                              \
    else if (result == 0) note_blind(#name " across the border of the directory");                                     \
    pthread_mutex_unlock(&turn);                                                                                       \
    return result;                                                                                                     \
  }
BY_PATHS(rename, RENAME, (const char *path, const char *to), path, to)
BY_PATHS(renameat, RENAME, (int at, const char *path, int there, const char *to), at, path, there, to)
BY_PATHS(link, LINK, (const char *path, const char *to), path, to)

/* Calls that nothing is known to use: one of them makes the log worthless, and that is reported. */
#define UNFOLLOWED(type, name, fd, arguments, ...)                                                                     \
  type name arguments {                                                                                                \
    if (is_watched(fd)) {                                                                                              \
      pthread_mutex_lock(&turn);                                                                                       \
      note_blind(#name);                                                                                               \
      pthread_mutex_unlock(&turn);                                                                                     \
    }                                                                                                                  \
    return REAL(name)(__VA_ARGS__);                                                                                    \
  }
UNFOLLOWED(int, fallocate, fd, (int fd, int mode, off_t from, off_t length), fd, mode, from, length)
UNFOLLOWED(int, posix_fallocate, fd, (int fd, off_t from, off_t length), fd, from, length)
UNFOLLOWED(ssize_t, sendfile, to, (int to, int from, off_t *offset, size_t count), to, from, offset, count)
UNFOLLOWED(ssize_t, copy_file_range, to, (int from, off64_t *at, int to, off64_t *there, size_t count, unsigned flags),
           from, at, to, there, count, flags)
UNFOLLOWED(int, dup, fd, (int fd), fd)
UNFOLLOWED(int, dup2, fd, (int fd, int other), fd, other)
UNFOLLOWED(int, dup3, fd, (int fd, int other, int flags), fd, other, flags)

#define MAPPING(name, offset_type)                                                                                     \
  void *name(void *address, size_t length, int access, int flags, int fd, offset_type offset) {                        \
    if (is_watched(fd) && (flags & MAP_SHARED) && (access & PROT_WRITE)) {                                             \
      pthread_mutex_lock(&turn);                                                                                       \
      note_blind(#name);                                                                                               \
      pthread_mutex_unlock(&turn);                                                                                     \
    }                                                                                                                  \
    return REAL(name)(address, length, access, flags, fd, offset);                                                     \
  }
MAPPING(mmap, off_t)
MAPPING(mmap64, off64_t)
