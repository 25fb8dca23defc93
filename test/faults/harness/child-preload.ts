// Loaded into every process that a fault test starts. The process ends with its test, even if the test is killed.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
