import { type Basis, hashJson } from './basis.js';
import { type StoredPreview } from './change-preview.js';

/** Identifies what a request shows. Stored JSON has its keys in one order, so equal previews have one fingerprint. */
export function computeFingerprint({
  basis,
  preview,
}: {
  readonly basis: Basis;
  readonly preview: StoredPreview | null;
}): string {
  return hashJson([basis.state, preview && { ...preview, calculatedAt: null }]);
}
