import { bodyOf, type Mail, oneLine } from '../platform/mail/mail.js';

/** The invitation: how to sign in, with a code that is sent to the same address. */
export function inviteMail(
  to: string,
  { name, workspaceName, publicUrl }: { name: string; workspaceName: string; publicUrl: string | undefined },
): Mail {
  const workspace = oneLine(workspaceName);
  const where = publicUrl === undefined ? '' : ` at ${publicUrl}`;
  return {
    to,
    subject: `You are invited to ${workspace}`,
    ...bodyOf([
      `Hello ${oneLine(name)},`,
      `you are invited to see your commissions in ${workspace}.`,
      `Sign in${where} with this e-mail address. You need no password: a code is sent to you each time.`,
    ]),
  };
}
