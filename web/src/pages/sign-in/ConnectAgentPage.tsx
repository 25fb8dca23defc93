import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { api } from '../../api/client.js';
import { type AgentRequest, agentRequestQuery } from '../../api/queries.js';
import { roleNames } from '../../app/navigation.js';
import { StepUp } from '../../app/StepUp.js';
import { signOut, useSession } from '../../app/session.js';
import { useAttempt } from '../../app/use-attempt.js';
import { Button, LinkButton } from '../../components/Button.js';
import { Facing } from '../../components/Facing.js';
import { CheckField } from '../../components/Field.js';
import { Loaded } from '../../components/Loaded.js';
import { Problem } from './LoginPage.js';
import { opensProgram } from './return-address.js';
import styles from './SignIn.module.css';
import { SignInFrame } from './SignInFrame.js';

/** Asks the person whether an agent may act for them. */
export function ConnectAgentPage() {
  const { request = '' } = getRouteApi('/connect-agent').useSearch();
  const pending = useQuery(agentRequestQuery(request));
  useEffect(() => {
    document.title = 'Connect an agent · Commissions';
  }, []);
  return (
    <SignInFrame title="Connect an agent">
      <Loaded query={pending} height={320}>
        {(loaded) => <Decision request={request} pending={loaded} />}
      </Loaded>
      <StepUp />
    </SignInFrame>
  );
}

interface DecisionProps {
  readonly request: string;
  readonly pending: AgentRequest;
}

function Decision({ request, pending }: DecisionProps) {
  const { name, email, role, workspace } = useSession();
  const asksToWrite = pending.scopes.includes('write');
  const [mayWrite, setMayWrite] = useState(asksToWrite);
  const [isCancelled, setCancelled] = useState(false);
  const { isBusy, problem, run } = useAttempt();
  const decide = (decision: 'allow' | 'deny') =>
    run(async () => {
      const scopes: ('read' | 'write')[] = mayWrite ? ['read', 'write'] : ['read'];
      const { redirectTo } = await api.decideAgentRequest({ body: { request, decision, scopes } });
      if (decision === 'deny' && opensProgram(redirectTo)) setCancelled(true);
      else window.location.assign(redirectTo);
    });
  if (isCancelled) return <p className={styles.text}>Nothing was connected. You can close this page.</p>;
  return (
    <>
      <p className={styles.text}>
        <b>{pending.clientName}</b> asks to use Commissions as you. The name is what the program says about itself.
      </p>
      <Facing
        rows={[
          ['Program', pending.clientAddress ?? 'not verified'],
          ['Returns to', pending.isOnThisMachine ? `${pending.returnsTo} on this computer` : pending.returnsTo],
          ['You', `${name}${email === null ? '' : ` (${email})`}`],
          ['Workspace', workspace.name],
          ['Role', roleNames[role]],
        ]}
      />
      <ul className={styles.permits}>
        <li>
          <CheckField label="Read what you see" checked disabled />
        </li>
        {asksToWrite ? (
          <li>
            <CheckField
              label="Change what you may change"
              name="write"
              checked={mayWrite}
              onChange={({ currentTarget }) => setMayWrite(currentTarget.checked)}
            />
          </li>
        ) : null}
      </ul>
      <Problem text={problem} />
      <div className={styles.choices}>
        <Button kind="primary" size="final" isBusy={isBusy} onClick={() => decide('allow')}>
          Connect
        </Button>
        <Button size="final" isBusy={isBusy} onClick={() => decide('deny')}>
          Cancel
        </Button>
      </div>
      <div className={styles.below}>
        <span className="dim">You can disconnect it in your account.</span>
        <LinkButton onClick={signOut}>Other person</LinkButton>
      </div>
    </>
  );
}
