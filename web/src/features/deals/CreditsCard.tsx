import { useQuery } from '@tanstack/react-query';
import { type CreditLine, dealCreditsQuery } from '../../api/credit-queries.js';
import { usePersistedDialog } from '../../app/persisted-state.js';
import blocks from '../../components/Blocks.module.css';
import { Button } from '../../components/Button.js';
import { Loaded } from '../../components/Loaded.js';
import { Card } from '../../components/Page.js';
import { ProgressBar } from '../../components/ProgressBar.js';
import { Warnings } from '../../components/Warnings.js';
import { formatNumber } from '../../shared/format/numbers.js';
import styles from './Credits.module.css';
import { CreditsDialog } from './CreditsDialog.js';
import { describeLine, nameOfLine } from './entered-credits.js';

interface CreditsCardProps {
  readonly dealId: string;
  readonly canEdit: boolean;
}

/** Who is credited on a deal, with which share, and where each line comes from. */
export function CreditsCard({ dealId, canEdit }: CreditsCardProps) {
  const query = useQuery(dealCreditsQuery(dealId));
  const [isEdited, setEdited] = usePersistedDialog(`credits ${dealId}`);
  return (
    <Loaded query={query} height={134}>
      {(deal) => (
        <>
          <Card
            title="Who is credited"
            action={canEdit ? <Button onClick={() => setEdited(true)}>Edit shares</Button> : undefined}
          >
            {deal.credits.length === 0 ? <p className="dim">The deal has no owner.</p> : null}
            <ul className={blocks.rows}>
              {deal.credits.map((line) => (
                <Line key={`${line.repId} ${line.kind} ${line.role} ${line.source}`} line={line} />
              ))}
            </ul>
            <Warnings warnings={deal.warnings} />
          </Card>
          {isEdited ? <CreditsDialog deal={deal} onClose={() => setEdited(false)} /> : null}
        </>
      )}
    </Loaded>
  );
}

function Line({ line }: { readonly line: CreditLine }) {
  const percent = `${formatNumber(line.percent)} %`;
  return (
    <li>
      <span>
        <b className="strong">{nameOfLine(line)}</b> <span className="dim">{describeLine(line)}</span>
      </span>
      <span className={styles.share}>
        <ProgressBar ratio={line.percent / 100} label={`${nameOfLine(line)} has ${percent} of the deal`} isThin />
        <span>{percent}</span>
      </span>
    </li>
  );
}
