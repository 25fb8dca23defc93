import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type JournalLine, type LiabilityRow, linesOfPersonQuery } from '../../api/finance-queries.js';
import { Button } from '../../components/Button.js';
import { Loaded } from '../../components/Loaded.js';
import { DealLink, StatementLink } from '../../components/links.js';
import { useListPage } from '../../components/list-page.js';
import { Money } from '../../components/Money.js';
import { ListPager } from '../../components/Pager.js';
import { SideDrawer } from '../../components/SideDrawer.js';
import { formatDay } from '../../shared/format/dates.js';
import { formatPeriod } from '../../shared/format/periods.js';
import styles from './Finance.module.css';
import { kinds } from './words.js';

const linesOnPage = 200;

interface LinesDrawerProps {
  readonly month: string;
  readonly row: LiabilityRow;
  readonly onClose: () => void;
}

/** What changed the amount that a person is owed, down to the deal and the statement. */
export function LinesDrawer({
  month,
  row: { entity, repId, repName, currency, opening, closing },
  onClose,
}: LinesDrawerProps) {
  const [page, setPage] = useListPage({ month, entity, repId, currency });
  const query = useQuery(linesOfPersonQuery(month, entity, repId ?? ''));
  return (
    <SideDrawer
      label={`${repName}, ${formatPeriod(month)}`}
      onClose={onClose}
      footer={<Button onClick={onClose}>Close</Button>}
    >
      <h2>{repName}</h2>
      <p className="dim">
        {formatPeriod(month)}, in {currency}
      </p>
      <Loaded query={query} height={240}>
        {(lines) => {
          const moving = lines.filter(
            (line) => line.currency === currency && line.kind !== 'receivable' && line.amount !== 0,
          );
          return (
            <>
              <table className={styles.lines}>
                <tbody>
                  <tr>
                    <td>Opening</td>
                    <td>
                      <Money amount={opening} currency={currency} unit="none" />
                    </td>
                  </tr>
                  {moving.slice(page * linesOnPage, (page + 1) * linesOnPage).map((line) => (
                    <tr key={line.lineId}>
                      <td>
                        <Subject line={line} />
                      </td>
                      <td>
                        <Money amount={-line.amount} currency={currency} unit="none" signed />
                      </td>
                    </tr>
                  ))}
                  <tr className="strong">
                    <td>Closing</td>
                    <td>
                      <Money amount={closing} currency={currency} unit="none" />
                    </td>
                  </tr>
                </tbody>
              </table>
              <ListPager page={page} pageSize={linesOnPage} count={moving.length} onChange={setPage} />
            </>
          );
        }}
      </Loaded>
    </SideDrawer>
  );
}

function Subject({ line }: { readonly line: JournalLine }) {
  const { kind, day, late, dealId, dealName, ruleName, period, repId, batchId } = line;
  return (
    <>
      {dealId === null ? kinds[kind] : <DealLink dealId={dealId} name={dealName} />}
      <span className="second">
        {dealId === null ? null : `${kinds[kind]}, `}
        {formatDay(day, 'year')}
        {ruleName === null ? null : `, ${ruleName}`}
        {late ? ', known late' : null}
      </span>
      {period === null ? null : (
        <span className="second">
          <StatementLink repId={repId} period={period} className="ink">
            Statement of {formatPeriod(period)}
          </StatementLink>
        </span>
      )}
      {batchId === null ? null : (
        <span className="second">
          <Link to="/hand-overs" className="ink">
            Payout batch
          </Link>
        </span>
      )}
    </>
  );
}
