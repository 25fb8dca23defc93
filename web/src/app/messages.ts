import { notifications } from '@mantine/notifications';
import { describeError } from '../components/States.js';

/** A short message at the edge of the page, which screen readers read out. */
export function showMessage(message: string): void {
  notifications.show({ message, autoClose: 6000, withBorder: true });
}

/** The message of an error that a command caused. */
export function showProblem(error: unknown): void {
  const { message, reference } = describeError(error);
  notifications.show({
    title: 'This did not work',
    message: reference === null ? message : `${message} (${reference})`,
    color: 'red',
    autoClose: 12_000,
    withBorder: true,
  });
}
