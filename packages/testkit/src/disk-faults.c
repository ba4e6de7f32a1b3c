/*
 * Preloaded into a part, makes calls on files under one directory fail with EIO while a shared byte says so. Each bit of that
 * byte is a kind of call, so that a test chooses what fails and for how long, without a privilege and without a pause. A second
 * byte says how many of 256 calls fail; zero means all of them.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind { READS = 1, WRITES = 2, SYNCS = 4, OPENS = 8 };

static pthread_once_t started = PTHREAD_ONCE_INIT;
static char root[PATH_MAX];
static size_t root_length;
static volatile unsigned char *failing;

#define REAL(name) ((__typeof__(&name))real_of(#name))

static void *real_of(const char *name) {
  void *found = dlsym(RTLD_NEXT, name);
  if (!found) abort();
  return found;
}

static void start(void) {
  const char *directory = getenv("DISK_FAULTS_ROOT"), *path = getenv("DISK_FAULTS_SWITCH");
  if (!directory || !path || strlen(directory) >= sizeof root) return;
  int fd = REAL(open)(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) abort();
  failing = mmap(0, 2, PROT_READ, MAP_SHARED, fd, 0);
  if (failing == MAP_FAILED) abort();
  REAL(close)(fd);
  root_length = strlen(directory);
  memcpy(root, directory, root_length);
}

static int is_inside(const char *path) {
  return path && strncmp(path, root, root_length) == 0 && (path[root_length] == '/' || path[root_length] == '\0');
}

/* The file's name is read only while something fails: otherwise a call costs one comparison. */
static int is_ours(int fd) {
  char link[64], path[PATH_MAX];
  int kept = errno;
  char digits[16];
  int count = 0;
  for (int left = fd; left > 0 || count == 0; left /= 10) digits[count++] = '0' + left % 10;
  strcpy(link, "/proc/self/fd/");
  size_t at = strlen(link);
  while (count > 0) link[at++] = digits[--count];
  link[at] = '\0';
  ssize_t length = readlink(link, path, sizeof path - 1);
  errno = kept;
  if (length <= 0) return 0;
  path[length] = '\0';
  return is_inside(path);
}

static int fails(enum kind kind) {
  static _Atomic unsigned drawn = 1;
  pthread_once(&started, start);
  if (!failing || !(failing[0] & kind)) return 0;
  if (failing[1] == 0) return 1;
  unsigned next = drawn * 1103515245u + 12345u;
  drawn = next;
  return ((next >> 16) & 255) < failing[1];
}

#define FAILING(type, name, kind, arguments, ...)                                                                      \
  type name arguments {                                                                                                \
    if (fails(kind) && is_ours(fd)) {                                                                                  \
      errno = EIO;                                                                                                     \
      return -1;                                                                                                       \
    }                                                                                                                  \
    return REAL(name)(__VA_ARGS__);                                                                                    \
  }
FAILING(ssize_t, read, READS, (int fd, void *into, size_t length), fd, into, length)
FAILING(ssize_t, readv, READS, (int fd, const struct iovec *parts, int count), fd, parts, count)
FAILING(ssize_t, pread, READS, (int fd, void *into, size_t length, off_t at), fd, into, length, at)
FAILING(ssize_t, pread64, READS, (int fd, void *into, size_t length, off64_t at), fd, into, length, at)
FAILING(ssize_t, preadv, READS, (int fd, const struct iovec *parts, int count, off_t at), fd, parts, count, at)
FAILING(ssize_t, preadv64, READS, (int fd, const struct iovec *parts, int count, off64_t at), fd, parts, count, at)
FAILING(ssize_t, write, WRITES, (int fd, const void *from, size_t length), fd, from, length)
FAILING(ssize_t, writev, WRITES, (int fd, const struct iovec *parts, int count), fd, parts, count)
FAILING(ssize_t, pwrite, WRITES, (int fd, const void *from, size_t length, off_t at), fd, from, length, at)
FAILING(ssize_t, pwrite64, WRITES, (int fd, const void *from, size_t length, off64_t at), fd, from, length, at)
FAILING(ssize_t, pwritev, WRITES, (int fd, const struct iovec *parts, int count, off_t at), fd, parts, count, at)
FAILING(ssize_t, pwritev64, WRITES, (int fd, const struct iovec *parts, int count, off64_t at), fd, parts, count, at)
FAILING(int, ftruncate, WRITES, (int fd, off_t length), fd, length)
FAILING(int, ftruncate64, WRITES, (int fd, off64_t length), fd, length)
FAILING(int, fsync, SYNCS, (int fd), fd)
FAILING(int, fdatasync, SYNCS, (int fd), fd)

#define OPENING(name, before, ...)                                                                                     \
  int name(before const char *path, int flags, ...) {                                                                  \
    mode_t mode = 0;                                                                                                   \
    if (flags & (O_CREAT | O_TMPFILE)) {                                                                               \
      va_list more;                                                                                                    \
      va_start(more, flags);                                                                                           \
      mode = va_arg(more, mode_t);                                                                                     \
      va_end(more);                                                                                                    \
    }                                                                                                                  \
    if (fails(OPENS) && is_inside(path)) {                                                                             \
      errno = EIO;                                                                                                     \
      return -1;                                                                                                       \
    }                                                                                                                  \
    return REAL(name)(__VA_ARGS__);                                                                                    \
  }
#define NOTHING
#define AT int at,
OPENING(open, NOTHING, path, flags, mode)
OPENING(open64, NOTHING, path, flags, mode)
OPENING(openat, AT, at, path, flags, mode)
OPENING(openat64, AT, at, path, flags, mode)

#define BY_PATH(name, arguments, ...)                                                                                  \
  int name arguments {                                                                                                 \
    if (fails(WRITES) && is_inside(path)) {                                                                            \
      errno = EIO;                                                                                                     \
      return -1;                                                                                                       \
    }                                                                                                                  \
    return REAL(name)(__VA_ARGS__);                                                                                    \
  }
BY_PATH(unlink, (const char *path), path)
BY_PATH(rmdir, (const char *path), path)
BY_PATH(mkdir, (const char *path, mode_t mode), path, mode)
BY_PATH(rename, (const char *path, const char *to), path, to)
BY_PATH(link, (const char *path, const char *to), path, to)
