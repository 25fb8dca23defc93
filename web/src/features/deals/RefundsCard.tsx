import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { type Refund, refundsQuery } from '../../api/refund-queries.js';
import { usePersistedChoice } from '../../app/persisted-state.js';
import blocks from '../../components/Blocks.module.css';
import { Button } from '../../components/Button.js';
import { Loaded } from '../../components/Loaded.js';
import { Card } from '../../components/Page.js';
import { formatDay } from '../../shared/format/dates.js';
import { formatMoney, formatNumber } from '../../shared/format/numbers.js';
import { causeWords } from './entered-refund.js';
import { RefundDialog } from './RefundDialog.js';

const WaiverDialog = lazy(() => import('./WaiverDialog.js').then((module) => ({ default: module.WaiverDialog })));

interface RefundsCardProps {
  readonly dealId: string;
  /** The currency of the deal; undefined for an amount without one. */
  readonly currency: string | undefined;
  readonly canEdit: boolean;
}

/** What the customer of a deal got back: the plan may take back commission for it. */
export function RefundsCard({ dealId, currency, canEdit }: RefundsCardProps) {
  const query = useQuery(refundsQuery(dealId));
  const [open, setOpen] = usePersistedChoice<string>(`refund ${dealId}`);
  return (
    <Loaded query={query} height={104}>
      {(refunds) =>
        refunds.length === 0 && !canEdit ? null : (
          <>
            <Card
              title="Refunds"
              action={canEdit ? <Button onClick={() => setOpen(newRefund)}>Add a refund</Button> : undefined}
            >
              {refunds.length === 0 ? (
                <p className="dim">
                  None. If the customer cancels or gets money back, the plan says what commission is taken back.
                </p>
              ) : null}
              <ul className={blocks.rows}>
                {refunds.map((refund) => (
                  <RefundRow
                    key={refund.refundId}
                    refund={refund}
                    currency={currency}
                    onEdit={canEdit ? () => setOpen(`of ${refund.refundId}`) : null}
                    onWaive={canEdit ? () => setOpen(`${waiverOf}${refund.refundId}`) : null}
                  />
                ))}
              </ul>
            </Card>
            {open === null || open.startsWith(waiverOf) ? null : (
              <RefundDialog
                key={open}
                dealId={dealId}
                storageKey={`refund ${dealId} ${open}`}
                refund={refunds.find(({ refundId }) => open === `of ${refundId}`) ?? null}
                others={refunds}
                currency={currency}
                onClose={() => setOpen(null)}
              />
            )}
            <Suspense fallback={null}>
              {refunds
                .filter(({ refundId }) => open === `${waiverOf}${refundId}`)
                .map((refund) => (
                  <WaiverDialog key={refund.refundId} refund={refund} onClose={() => setOpen(null)} />
                ))}
            </Suspense>
          </>
        )
      }
    </Loaded>
  );
}

const newRefund = 'new';
const waiverOf = 'waiver of ';

interface RefundRowProps {
  readonly refund: Refund;
  readonly currency: string | undefined;
  readonly onEdit: (() => void) | null;
  readonly onWaive: (() => void) | null;
}

function RefundRow({ refund, currency, onEdit, onWaive }: RefundRowProps) {
  const { refundId, day, cause, amount, reason, waivers } = refund;
  const what = amount === null ? 'all that was left' : writeAmount(amount, currency);
  return (
    <li>
      <span>
        <b className="strong">{refundId}</b>{' '}
        <span className="dim">
          {what} on {formatDay(day, 'year')}: {causeWords[cause]}
        </span>
        {reason === '' ? null : <span className="second">{reason}</span>}
        {waivers.length === 0 ? null : <span className="second">{waivers.map(waiverWords).join('; ')}</span>}
      </span>
      {onEdit === null || onWaive === null ? null : (
        <span className={blocks.actions}>
          <Button onClick={onWaive} aria-label={`Waive a part of refund ${refundId}`}>
            Waive
          </Button>
          <Button onClick={onEdit} aria-label={`Edit refund ${refundId}`}>
            Edit
          </Button>
        </span>
      )}
    </li>
  );
}

function waiverWords({ repName, percent, reason }: Refund['waivers'][number]): string {
  return `${formatNumber(percent)} % waived${repName === null ? '' : ` for ${repName}`}: ${reason}`;
}

function writeAmount(amount: number, currency: string | undefined): string {
  return currency === undefined ? formatNumber(amount) : formatMoney(amount, currency);
}
