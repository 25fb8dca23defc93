import { useState } from 'react';
import { type Handover, type PayrollFile } from '../../api/payroll-queries.js';

/** When this browser saved a file, by the hash of the file. */
const storageKey = (hash: string) => `payroll-download ${hash}`;

/** When this browser saved the file; null if it has not. */
export function useDownloadedAt(file: PayrollFile | undefined): {
  readonly at: string | null;
  readonly record: () => void;
} {
  const [, setCount] = useState(0);
  const hash = file?.sha256 ?? null;
  return {
    at: hash === null ? null : localStorage.getItem(storageKey(hash)),
    record: () => {
      if (hash === null) return;
      localStorage.setItem(storageKey(hash), new Date().toISOString());
      setCount((count) => count + 1);
    },
  };
}

/** The hand-over of exactly this file. */
export function handoverOf(handovers: readonly Handover[], file: PayrollFile): Handover | null {
  return handovers.find(({ layout, sha256 }) => layout === file.layout && sha256 === file.sha256) ?? null;
}
