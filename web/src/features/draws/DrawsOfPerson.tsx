import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type Draw, drawsQuery } from '../../api/draw-queries.js';
import { workspaceQuery } from '../../api/settings-queries.js';
import { usePersistedChoice } from '../../app/persisted-state.js';
import { useSession } from '../../app/session.js';
import { Button } from '../../components/Button.js';
import { Loaded } from '../../components/Loaded.js';
import { Card } from '../../components/Page.js';
import { DeleteDrawDialog, ForgiveDialog } from './DrawDecisions.js';
import { DrawDetails } from './DrawDetails.js';
import { DrawDialog } from './DrawDialog.js';
import { describeDraw } from './words.js';

/** The draws of a person for an admin, who decides about those of others; nothing in workspaces without payouts. */
export function DrawsOfPerson({ repId }: { readonly repId: string }) {
  const workspace = useQuery(workspaceQuery).data;
  const query = useQuery(drawsQuery(repId));
  const isOwn = useSession().repId === repId;
  const [open, setOpen] = usePersistedChoice<string>(`draw of ${repId}`);
  if (workspace?.payouts === undefined) return null;
  const [action, drawId] = open?.split(' ') ?? [];
  return (
    <Card
      title="Draws and guarantees"
      action={
        isOwn ? undefined : (
          <Button icon={IconPlus} onClick={() => setOpen('new')}>
            Add a draw
          </Button>
        )
      }
    >
      <Loaded query={query} height={134}>
        {(draws) => (
          <>
            {draws.length === 0 ? (
              <p className="dim">No draw. A guarantee tops pay up to an amount; an advance is paid in addition.</p>
            ) : null}
            {isOwn ? <p className="dim">Another admin decides about your draws.</p> : null}
            {draws.map((draw) => (
              <DrawDetails
                key={draw.drawId}
                draw={draw}
                actions={isOwn ? undefined : <Actions draw={draw} onOpen={setOpen} />}
              />
            ))}
            {action === 'new' || action === 'change' ? (
              <DrawDialog
                key={open}
                repId={repId}
                draw={draws.find((draw) => draw.drawId === drawId) ?? null}
                currency={workspace.currency}
                onClose={() => setOpen(null)}
              />
            ) : null}
            {draws
              .filter((draw) => draw.drawId === drawId)
              .map((draw) => (
                <Decision key={open} action={action} draw={draw} onClose={() => setOpen(null)} />
              ))}
          </>
        )}
      </Loaded>
    </Card>
  );
}

interface ActionsProps {
  readonly draw: Draw;
  readonly onOpen: (open: string) => void;
}

function Actions({ draw, onOpen }: ActionsProps) {
  const { drawId, owed } = draw;
  const of = describeDraw(draw).toLowerCase();
  return (
    <>
      <Button onClick={() => onOpen(`change ${drawId}`)} aria-label={`Change the ${of}`}>
        Change or end
      </Button>
      {owed > 0 ? (
        <Button onClick={() => onOpen(`forgive ${drawId}`)} aria-label={`Forgive a part of the ${of}`}>
          Forgive
        </Button>
      ) : null}
      <Button kind="danger" onClick={() => onOpen(`delete ${drawId}`)} aria-label={`Delete the ${of}`}>
        Delete …
      </Button>
    </>
  );
}

interface DecisionProps {
  readonly action: string | undefined;
  readonly draw: Draw;
  readonly onClose: () => void;
}

function Decision({ action, draw, onClose }: DecisionProps) {
  if (action === 'forgive') return <ForgiveDialog draw={draw} onClose={onClose} />;
  return action === 'delete' ? <DeleteDrawDialog draw={draw} onClose={onClose} /> : null;
}
