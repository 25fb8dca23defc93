import { IconPlus } from '@tabler/icons-react';
import { Fragment } from 'react';
import { type MissingRow, type RateCoverage } from '../../api/rate-table-queries.js';
import blocks from '../../components/Blocks.module.css';
import { IconButton } from '../../components/Button.js';
import { DealLink } from '../../components/links.js';
import { Card } from '../../components/Page.js';
import { formatCount } from '../../shared/format/numbers.js';

interface CoverageCardProps {
  readonly coverage: RateCoverage;
  /** Begins a row with the keys. */
  readonly onAdd: (missing: MissingRow) => void;
}

/** Which deals of the last year meet no row of the table, by the values that a row is missing for. */
export function CoverageCard({ coverage, onAdd }: CoverageCardProps) {
  return (
    <Card title="Deals without a row">
      <p className="dim">{summarize(coverage)}</p>
      <ul className={blocks.lines}>
        {coverage.missing.map((missing) => {
          const { keys, deals, dealIds } = missing;
          const words = describeKeys(keys);
          return (
            <li key={JSON.stringify(keys)}>
              <span>
                <b className="strong">{words}</b>
                <span className="second">
                  {dealIds.map((dealId, index) => (
                    <Fragment key={dealId}>
                      {index === 0 ? '' : ', '}
                      <DealLink dealId={dealId} name={null} />
                    </Fragment>
                  ))}
                  {deals > dealIds.length ? ' …' : ''}
                </span>
              </span>
              <span className="dim">{formatCount(deals, 'deal')}</span>
              <IconButton icon={IconPlus} label={`Add a row for ${words}`} onClick={() => onAdd(missing)} />
            </li>
          );
        })}
      </ul>
    </Card>
  );
}

function summarize({ deals, missingDeals, truncated }: RateCoverage): string {
  if (deals === 0) return 'No deal of the last year is looked up in this table.';
  const latest = truncated ? ', the latest of the last year,' : ' of the last year';
  if (missingDeals === 0) return `Each of ${formatCount(deals, 'deal')}${latest} meets a row.`;
  return `${missingDeals} of ${formatCount(deals, 'deal')}${latest} meet no row.`;
}

function describeKeys(keys: RateCoverage['missing'][number]['keys']): string {
  return Object.entries(keys)
    .map(([name, value]) => `${name}: ${value === null ? 'nothing' : String(value)}`)
    .join(' × ');
}
