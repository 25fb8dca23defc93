// Loaded into every process that a fault test starts: it ends with its test, even when that is killed.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
