import { type QueryFilters, useMutation, useQueryClient } from '@tanstack/react-query';
import { showProblem } from '../app/messages.js';

interface ChangeOptions<Input, Output> {
  readonly send: (input: Input) => Promise<Output>;
  /** What is loaded again before {@link onDone}. Default: everything that is displayed, except previews. */
  readonly reloads?: QueryFilters;
  readonly onDone?: (output: Output) => void;
  readonly onFailed?: (cause: Error) => void;
}

/**
 * What is loaded again after a change: all that is displayed except previews. A form that previews its own change would be
 * rejected afterwards, and a preview of the whole workspace costs more than every read.
 */
export const exceptPreviews: QueryFilters = { predicate: ({ queryKey }) => queryKey[0] !== 'dry-run' };

/** A write whose form displays its progress and its error. */
export interface Change<Input = void> {
  readonly send: (input: Input) => void;
  readonly isBusy: boolean;
  readonly error: Error | null;
}

/** A write of a form. Its error is displayed by the form and not as a message. */
export function useChange<Output, Input = void>({
  send,
  reloads = exceptPreviews,
  onDone,
  onFailed,
}: ChangeOptions<Input, Output>): Change<Input> {
  const queryClient = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: send,
    meta: { isShownInForm: true },
    onSuccess: async (output) => {
      await queryClient.invalidateQueries(reloads);
      onDone?.(output);
    },
    onError: (cause) => onFailed?.(cause),
  });
  return { send: mutate, isBusy: isPending, error };
}

/** A write of a button outside of a form. Its error is displayed as a message. */
export function useAction<Output, Input = void>(
  options: Omit<ChangeOptions<Input, Output>, 'onFailed'>,
): Change<Input> {
  return useChange({ ...options, onFailed: showProblem });
}
