import { Link } from '@tanstack/react-router';
import { type Line } from '../../api/queries.js';
import blocks from '../../components/Blocks.module.css';
import { Card } from '../../components/Page.js';
import { lineTitle, orderedLines, rateWords, ruleWords } from '../../features/lines/words.js';
import { opensTrace } from '../../features/trace/opens-trace.js';
import { formatDay } from '../../shared/format/dates.js';
import { signOf, sumAmounts } from '../../shared/format/exact.js';
import { formatMoney } from '../../shared/format/numbers.js';

const maxChanges = 5;

interface DealChange {
  readonly key: string;
  readonly title: string;
  readonly detail: string;
  readonly amount: string;
  readonly currency: string;
  readonly eventId: string;
  readonly at: string;
}

interface ChangeFeedProps {
  readonly lines: readonly Line[];
  readonly currency: string;
}

/** The deals whose amounts changed last. */
export function ChangeFeed({ lines, currency }: ChangeFeedProps) {
  const changes = listChanges(lines).slice(0, maxChanges);
  return (
    <Card title="What changed" action={<Link to="/me/deals">All</Link>}>
      {changes.length === 0 ? <p className="dim">Nothing in this period.</p> : null}
      <ul className={blocks.rows}>
        {changes.map(({ key, title, detail, amount, currency: of, eventId }) => (
          <li key={key}>
            <span>
              <b className="strong">{title}</b>
              <span className="second">{detail}</span>
            </span>
            <Link
              {...opensTrace}
              search={((search: object) => ({ ...search, trace: eventId })) as never}
              className={`num ${signOf(amount) < 0 ? 'negative' : 'brand strong'}`}
              aria-label={`${formatMoney(amount, of, { unit: of === currency ? 'none' : 'code', signed: true })}, explain ${title}`}
            >
              {formatMoney(amount, of, { unit: of === currency ? 'none' : 'code', signed: true })}
            </Link>
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** One change for each deal and refund, the latest first. */
function listChanges(lines: readonly Line[]): readonly DealChange[] {
  const groups = Map.groupBy(lines, keyOf);
  return [...groups]
    .map(([key, ofDeal]): DealChange => {
      const main = orderedLines(ofDeal)[0] as Line;
      const more = ofDeal.filter((line) => line !== main && signOf(line.amount) !== 0).length;
      const verb = main.kind === 'commission_earned' && main.dealId !== null && main.amount > 0 ? ' won' : '';
      const others = more === 0 ? '' : `, and ${more} more`;
      return {
        key,
        title: `${lineTitle(main)}${verb}`,
        detail: `${formatDay(main.earnedOn)}, ${main.ruleName === null ? ruleWords(main).toLowerCase() : `${main.ruleName} ${rateWords(main)}`}${others}`,
        currency: main.currency,
        amount: sumAmounts(ofDeal.map(({ amount }) => amount)),
        eventId: main.eventId,
        at: ofDeal.reduce((latest, { updatedAt }) => (updatedAt > latest ? updatedAt : latest), main.earnedOn),
      };
    })
    .sort((a, b) => (a.at < b.at ? 1 : -1));
}

/** A refund is an own change, and amounts in different currencies are never added. */
function keyOf({ dealId, refundId, eventId, currency }: Line): string {
  return dealId === null ? eventId : `${dealId} ${refundId ?? ''} ${currency}`;
}
