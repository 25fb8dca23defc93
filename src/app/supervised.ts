/** Signals that stop the service in order. */
export const stopSignals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
/** npm forwards a signal that a terminal or a supervisor has sent to the whole process group already. */
export const sameStopMs = 1000;

/** Messages of a process of the service to its supervisor. */
export type SupervisedMessage = 'ready' | 'stopping';
/** Message of the supervisor to the process. */
export const stopMessage = 'stop';

/** The supervisor of this process, as the process sees it. Without one, messages go nowhere. */
export class SupervisorChannel {
  private stop: () => void = () => process.exit(1);

  constructor(private readonly isSupervised: boolean) {
    if (!isSupervised) return;
    // Without its supervisor the process would stay when the command has ended, and keep the port and the data folder.
    process.on('disconnect', () => this.stop());
    process.on('message', (message) => {
      if (message === stopMessage) this.stop();
    });
    // A start that failed ends although the channel is open.
    process.channel?.unref();
  }

  /** Calls the function when the supervisor stops the process or is gone. Until then, both end the process at once. */
  onStop(stop: () => void): void {
    this.stop = stop;
  }

  send(message: SupervisedMessage): void {
    if (this.isSupervised && process.connected) process.send?.(message, undefined, undefined, () => undefined);
  }
}
