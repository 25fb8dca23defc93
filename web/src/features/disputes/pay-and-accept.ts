import { type api } from '../../api/client.js';

interface PayAndAccept {
  readonly disputeId: string;
  readonly discrepancyId: string;
  readonly action: 'true_up' | 'carry_forward';
  /** The reason of the payment, and the answer. */
  readonly note: string;
  /** Whether an amount above the threshold of the workspace was confirmed. */
  readonly force: boolean;
  /** Whether an earlier try has paid the difference, after which the answer failed. */
  readonly isPaid: boolean;
}

/**
 * Pays the difference, then accepts the question: if the second step fails, the question still waits, and is sent again
 * without another payment. Returns the threshold above which the payment must be confirmed first; null if all is done.
 */
export async function payAndAccept(
  client: Pick<typeof api, 'resolveDiscrepancy' | 'updateDispute'>,
  { disputeId, discrepancyId, action, note, force, isPaid }: PayAndAccept,
  onPaid: () => void,
): Promise<number | null> {
  if (!isPaid) {
    const { result } = await client.resolveDiscrepancy({
      params: { discrepancyId },
      body: { action, reason: note, ...(force ? { force } : {}) },
    });
    if (result.action === 'requires_approval') return result.approvalThreshold ?? 0;
    onPaid();
  }
  await client.updateDispute({ params: { disputeId }, body: { status: 'accepted', note } });
  return null;
}
