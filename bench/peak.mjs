// Loaded before what is measured: tells at its end, on file descriptor 3, the most memory that it had, in kilobytes.
import { writeSync } from 'node:fs';

process.on('exit', () => writeSync(3, String(process.resourceUsage().maxRSS)));
