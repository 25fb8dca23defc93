import { useState } from 'react';
import { maxPeopleAtOnce } from '../../api/payroll-queries.js';

/** Where a file is read. */
interface Reading {
  readonly isError: boolean;
  readonly isFetching: boolean;
}

/** A file of few people loads by itself, one of many when the reader requests it. `of` says which file is meant, with what is in it. */
export function useRequestedFile(of: unknown, people: number) {
  const name = JSON.stringify(of);
  const [requested, setRequested] = useState<string | null>(null);
  const isLarge = people > maxPeopleAtOnce;
  return {
    isLarge,
    isRequested: !isLarge || requested === name,
    /** How the reader requests it; undefined if it loads by itself or is there. */
    requestOf: ({ isError, isFetching }: Reading, file: unknown) =>
      file === null && isLarge && !isError
        ? { people, isBusy: isFetching, onRequest: () => setRequested(name) }
        : undefined,
  };
}
