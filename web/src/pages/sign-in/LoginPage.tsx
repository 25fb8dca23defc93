import { type Icon, IconBrandGoogle, IconBrandWindows, IconKey } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { ApiError } from '#src/client.js';
import { api, basePath } from '../../api/client.js';
import { useAttempt } from '../../app/use-attempt.js';
import { Button, ButtonContent, buttonClass, LinkButton } from '../../components/Button.js';
import { TextField } from '../../components/Field.js';
import { OtpInput } from '../../components/OtpInput.js';
import { ownPath } from './own-path.js';
import styles from './SignIn.module.css';
import { SignInFrame } from './SignInFrame.js';

interface Sent {
  readonly email: string;
  /** Absent if the code came with a link. */
  readonly nonce?: string;
  /** Absent if the code came with a link, which a mail contained. */
  readonly isMailSetUp?: boolean;
}

interface WorkspaceChoice {
  readonly workspaceId: string;
  readonly name: string;
}

/** Address and code of the link in a mail. */
function readFragment(): { readonly email: string; readonly code: string } {
  const values = new URLSearchParams(window.location.hash.slice(1));
  return { email: values.get('email') ?? '', code: values.get('code') ?? '' };
}

/** Sign-in: the e-mail address, then the code that was sent to it. */
export function LoginPage() {
  const [linked] = useState(readFragment);
  const [sent, setSent] = useState<Sent | null>(linked.code === '' ? null : { email: linked.email });
  useEffect(() => {
    document.title = 'Sign in · Commissions';
    if (window.location.hash !== '')
      window.history.replaceState(null, '', window.location.pathname + window.location.search);
  }, []);
  const [address, setAddress] = useState(linked.email);
  const send = (next: Sent) => {
    setAddress(next.email);
    setSent(next);
  };
  if (sent === null) return <EmailStep initial={address} onSent={send} />;
  return <CodeStep sent={sent} initial={linked.code} onResent={setSent} onOther={() => setSent(null)} />;
}

interface EmailStepProps {
  readonly initial: string;
  readonly onSent: (sent: Sent) => void;
}

function EmailStep({ initial, onSent }: EmailStepProps) {
  const [email, setEmail] = useState(initial);
  const { isBusy, problem, run } = useAttempt();
  const submit = (event: React.FormEvent) => {
    event.preventDefault();
    run(async () => {
      const { nonce, isMailSetUp } = await api.sendCode({ body: { email } });
      onSent({ email, nonce, isMailSetUp });
    });
  };
  return (
    <SignInFrame title="Sign in">
      <p className={styles.text}>You get a code by e-mail. There are no passwords.</p>
      <form className={styles.form} onSubmit={submit}>
        <TextField
          label="E-mail address"
          type="email"
          name="email"
          autoComplete="email"
          required
          autoFocus
          value={email}
          problem={problem}
          onChange={({ currentTarget }) => setEmail(currentTarget.value)}
        />
        <Button type="submit" kind="primary" size="final" className={styles.submit} isBusy={isBusy}>
          Send code
        </Button>
      </form>
      <SingleSignOn />
    </SignInFrame>
  );
}

/** Signs in, or returns the workspaces to choose from if the address belongs to several. */
async function signIn(body: Parameters<typeof api.verifyCode>[0]['body']): Promise<readonly WorkspaceChoice[] | null> {
  try {
    await api.verifyCode({ body });
    return null;
  } catch (error) {
    const choices = error instanceof ApiError ? error.details?.['workspaces'] : undefined;
    if (Array.isArray(choices)) return choices as WorkspaceChoice[];
    throw error;
  }
}

interface CodeStepProps {
  readonly sent: Sent;
  readonly initial: string;
  readonly onResent: (sent: Sent) => void;
  readonly onOther: () => void;
}

function CodeStep({ sent, initial, onResent, onOther }: CodeStepProps) {
  const [code, setCode] = useState(initial);
  const resent = (next: Sent) => {
    setCode('');
    onResent(next);
  };
  const [workspaces, setWorkspaces] = useState<readonly WorkspaceChoice[]>([]);
  const { isBusy, problem, run } = useAttempt();
  const { next } = getRouteApi('/login').useSearch();
  const verify = (entered: string, workspaceId?: string) =>
    run(async () => {
      const choices = await signIn({
        email: sent.email,
        ...(sent.nonce === undefined ? {} : { nonce: sent.nonce }),
        code: entered,
        ...(workspaceId === undefined ? {} : { workspaceId }),
      }).catch(withEmptyBoxes(setCode));
      if (choices === null) window.location.assign(`${basePath}${ownPath(next)}`);
      else setWorkspaces(choices);
    });
  if (workspaces.length > 0)
    return (
      <SignInFrame title="Choose a workspace">
        <Problem text={problem} />
        <div className={styles.choices}>
          {workspaces.map(({ workspaceId, name }) => (
            <Button key={workspaceId} size="final" isBusy={isBusy} onClick={() => verify(code, workspaceId)}>
              {name}
            </Button>
          ))}
        </div>
      </SignInFrame>
    );
  return (
    <SignInFrame title="Enter your code">
      <p className={styles.text} id="code-hint">
        {sent.isMailSetUp === false ? (
          <>
            This service has no mail server, so nothing was sent to <b>{sent.email}</b>. The person who runs the service
            can read the code with <code>npx commissions mail</code>, or open a link that the service prints when it
            starts.
          </>
        ) : (
          <>
            Six digits are on their way to <b>{sent.email}</b>. They work for ten minutes.
          </>
        )}
      </p>
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          verify(code);
        }}
      >
        <OtpInput value={code} onChange={setCode} onComplete={verify} describedBy="code-hint" />
        <Problem text={problem} />
        <Button
          type="submit"
          kind="primary"
          size="final"
          className={styles.submit}
          isBusy={isBusy}
          disabled={code.length < 6}
        >
          Sign in
        </Button>
      </form>
      <div className={styles.below}>
        <Resend email={sent.email} onResent={resent} />
        <LinkButton onClick={onOther}>Other address</LinkButton>
      </div>
      <SingleSignOn />
    </SignInFrame>
  );
}

/** After a wrong code the boxes are empty for the next one; after another failure the same code can be sent again. */
function withEmptyBoxes(setCode: (code: string) => void) {
  return (error: unknown): never => {
    if (error instanceof ApiError && error.code === 'invalid_code') setCode('');
    throw error;
  };
}

const resendSeconds = 30;

interface ResendProps {
  readonly email: string;
  readonly onResent: (sent: Sent) => void;
}

function Resend({ email, onResent }: ResendProps) {
  const [seconds, setSeconds] = useState(resendSeconds);
  const { isBusy, problem, run } = useAttempt();
  useEffect(() => {
    if (seconds === 0) return;
    const timer = setTimeout(() => setSeconds(seconds - 1), 1000);
    return () => clearTimeout(timer);
  }, [seconds]);
  if (seconds > 0)
    return (
      <span className="dim">
        No mail? Send again in <span className="num">0:{String(seconds).padStart(2, '0')}</span>
      </span>
    );
  const resend = () =>
    run(async () => {
      const { nonce, isMailSetUp } = await api.sendCode({ body: { email } });
      onResent({ email, nonce, isMailSetUp });
      setSeconds(resendSeconds);
    });
  return (
    <span>
      <LinkButton isBusy={isBusy} onClick={resend}>
        Send again
      </LinkButton>
      <Problem text={problem} />
    </span>
  );
}

interface SignInProvider {
  /** Null for the provider of the environment. */
  readonly id: string | null;
  readonly kind: string;
  readonly name: string;
}

const icons: Readonly<Record<string, Icon>> = { google: IconBrandGoogle, microsoft: IconBrandWindows };

/** A button for each identity provider of the installation. */
function SingleSignOn() {
  const { data } = useQuery({
    queryKey: ['service'],
    queryFn: async () => {
      const response = await fetch(`${basePath}/`, { headers: { Accept: 'application/json' } });
      return (await response.json()) as { readonly providers: readonly SignInProvider[] };
    },
  });
  if (data === undefined || data.providers.length === 0) return null;
  return (
    <>
      <p className={styles.or}>or</p>
      <div className={styles.choices}>
        {data.providers.map(({ id, kind, name }) => (
          <a
            key={id}
            href={`${basePath}/auth/oidc/login${id === null ? '' : `?provider=${id}`}`}
            className={`${buttonClass({ size: 'final' })} ${styles.submit}`}
            style={{ boxSizing: 'border-box' }}
          >
            <ButtonContent icon={icons[kind] ?? IconKey}>{id === null ? name : `Sign in with ${name}`}</ButtonContent>
          </a>
        ))}
      </div>
    </>
  );
}

/** The message of a failed attempt. */
export function Problem({ text }: { readonly text: string | null }) {
  return text === null ? null : (
    <p role="alert" className={styles.error}>
      {text}
    </p>
  );
}
