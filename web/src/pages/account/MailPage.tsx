import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../../api/client.js';
import { describeError } from '../../api/describe-error.js';
import { type Mails, mailsQuery } from '../../api/queries.js';
import { useSession } from '../../app/session.js';
import blocks from '../../components/Blocks.module.css';
import { CheckField } from '../../components/Field.js';
import { Loaded } from '../../components/Loaded.js';
import { Card, Page } from '../../components/Page.js';

type Mail = Mails['mails'][number];

/** Names of the mails; the service says when each is sent. */
const names: Readonly<Record<Mail['kind'], string>> = {
  statement_ready: 'Statement ready',
  statement_approved: 'Statement approved',
  dispute_answered: 'Question answered',
  question_asked: 'Question to answer',
  approval_due: 'Signature due',
  plan_acceptance: 'Plan to accept',
  connection_broken: 'Connection broken',
  books_waiting: 'Books that wait for a second person',
  import_problem: 'Problem of a scheduled import',
  pay_digest: 'Your pay each week',
  weekly_digest: 'Weekly summary of your team',
};

/** Which mails the person receives. Every change is saved at once. */
export function MailPage() {
  const { email } = useSession();
  const mails = useQuery(mailsQuery);
  return (
    <Page
      title="Your mails"
      crumbs={[{ label: 'Your account', to: '/account' }, { label: 'Your mails' }]}
      facts={[email]}
    >
      <Loaded query={mails} height={320}>
        {(loaded) => <MailChoices mails={loaded.mails} />}
      </Loaded>
    </Page>
  );
}

function MailChoices({ mails }: { readonly mails: readonly Mail[] }) {
  const queryClient = useQueryClient();
  const { mutate, isPending, isSuccess, error } = useMutation({
    mutationFn: (disabled: Mail['kind'][]) => api.setMailPreferences({ body: { disabled } }),
    meta: { isShownInForm: true },
    onSuccess: (saved) => queryClient.setQueryData(mailsQuery.queryKey, saved),
  });
  const change = ({ kind, enabled }: Mail) => {
    const off = mails.filter((mail) => (mail.kind === kind ? enabled : !mail.enabled));
    mutate(off.map((mail) => mail.kind));
  };
  return (
    <Card title="Send me a mail when …">
      <div className={blocks.stack}>
        <ul className={blocks.stack}>
          {mails.map((mail) => (
            <li key={mail.kind}>
              <CheckField
                label={names[mail.kind]}
                hint={mail.description}
                checked={mail.enabled}
                aria-disabled={isPending}
                onChange={() => (isPending ? undefined : change(mail))}
              />
            </li>
          ))}
        </ul>
        <p role="status" className="dim">
          {isPending ? 'Saving' : isSuccess ? 'Saved' : 'Codes to sign in are always sent.'}
        </p>
        {error === null ? null : (
          <p role="alert" className="negative">
            {describeError(error).message}
          </p>
        )}
      </div>
    </Card>
  );
}
