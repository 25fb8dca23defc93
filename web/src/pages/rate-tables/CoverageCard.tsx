import { Fragment } from 'react';
import { type RateCoverage } from '../../api/rate-table-queries.js';
import blocks from '../../components/Blocks.module.css';
import { DealLink } from '../../components/links.js';
import { Card } from '../../components/Page.js';
import { formatCount } from '../../shared/format/numbers.js';

/** Which deals of the last year meet no row of the table, by the values that a row is missing for. */
export function CoverageCard({ coverage }: { readonly coverage: RateCoverage }) {
  return (
    <Card title="Deals without a row">
      <p className="dim">{summarize(coverage)}</p>
      <ul className={blocks.lines}>
        {coverage.missing.map(({ keys, deals, dealIds }) => (
          <li key={JSON.stringify(keys)}>
            <span>
              <b className="strong">{describeKeys(keys)}</b>
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
          </li>
        ))}
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
