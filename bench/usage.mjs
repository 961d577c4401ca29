// Loaded before what is measured: tells at its end, on file descriptor 3, the most memory that it had in kilobytes and
// the processor time that it took in milliseconds.
import { writeSync } from 'node:fs';

process.on('exit', () => {
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  writeSync(3, JSON.stringify({ peakKb: maxRSS, cpuMs: (userCPUTime + systemCPUTime) / 1000 }));
});
