import { useState } from 'react';
import { type Handover, type PayrollFile } from '../../api/payroll-queries.js';
import { readStored, writeStored } from '../../app/device-storage.js';

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
    at: hash === null ? null : (readStored(storageKey(hash)) as string | null),
    record: () => {
      if (hash === null) return;
      writeStored(storageKey(hash), new Date().toISOString());
      setCount((count) => count + 1);
    },
  };
}

/** Whether nothing was approved or changed since the last hand-over. */
export function hasNothingNew(file: PayrollFile): boolean {
  return file.scope === 'new' && file.rows.length === 0;
}

/** The hand-over of exactly this file, or the latest one if nothing is new since. */
export function findHandover(handovers: readonly Handover[], file: PayrollFile): Handover | null {
  if (hasNothingNew(file)) return handovers[0] ?? null;
  return (
    handovers.find(
      ({ layout, scope, sha256 }) => layout === file.layout && scope === file.scope && sha256 === file.sha256,
    ) ?? null
  );
}
