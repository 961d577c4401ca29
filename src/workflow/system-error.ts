/** Whether the operating system refused something; any other error is a bug. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && 'code' in error;
}

/** Why a file could not be read or written, in words. */
export function reasonOf(error: unknown): string {
  if (error instanceof TypeError) return 'it is not UTF-8 text';
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const words: Readonly<Record<string, string>> = {
    ENOENT: 'no such file or folder',
    EACCES: 'permission denied',
    EISDIR: 'it is a folder',
    ENOTDIR: 'a file is where a folder is expected',
    EEXIST: 'a file is where a folder is expected', // which of the two it is depends on the version of Node.js
    ELOOP: 'its links form a loop',
    ENOSPC: 'the disk is full',
    EROFS: 'the file system is read-only',
    EDQUOT: 'the disk quota is used up',
    EFBIG: 'it would become larger than the limit for files',
    EIO: 'the device failed',
  };
  return words[code] ?? (error instanceof Error ? error.message : String(error));
}
