import { notifications } from '@mantine/notifications';
import { describeError } from '../api/describe-error.js';
import { findUnknownPeriod } from './search.js';

const common = {
  withBorder: true,
  closeButtonProps: { 'aria-label': 'Close the message' },
  // Below a title, the text would have a contrast of 3.5.
  styles: { description: { color: 'var(--ink)' } },
} as const;

/** A short message at the edge of the page, which screen readers read out. `isComplete`: everything was done. */
export function showMessage(message: string, isComplete = true): void {
  notifications.show({
    ...common,
    message,
    ...(isComplete ? {} : { color: 'var(--negative)' }),
    autoClose: isComplete ? 6000 : 12_000,
  });
}

/** An address with an unknown period opens the present one, which is said. */
export function reportUnknownPeriod(): void {
  const period = findUnknownPeriod(location.search);
  if (period !== null) showMessage(`“${period}” in the address is not a period. You see the usual one.`, false);
}

/** The message of an error that a command caused. */
export function showProblem(error: unknown): void {
  const { message, reference } = describeError(error);
  notifications.show({
    ...common,
    title: 'This did not work',
    message: reference === null ? message : `${message} Reference for the support: ${reference}`,
    color: 'var(--negative)',
    autoClose: 12_000,
  });
}
