// Loaded before the measured program. At the end it writes the peak memory in kilobytes and the CPU time in milliseconds
// to file descriptor 3.
import { writeSync } from 'node:fs';

process.on('exit', () => {
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  writeSync(3, JSON.stringify({ peakKb: maxRSS, cpuMs: (userCPUTime + systemCPUTime) / 1000 }));
});
