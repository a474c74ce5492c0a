import type { Redis } from 'ioredis';
import { UnusableStoreError } from '../errors.js';

/** The first connection must succeed; later ones come back by themselves. */
export async function connectAtBoot(client: Redis, name: string): Promise<void> {
  let trouble: Error | undefined;
  client.on('error', (error: Error) => (trouble = error));
  const { connectTimeout = 10_000, tls } = client.options;
  let limit: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_, reject) => {
    // A server that is reached and still loads its data may take its time; a Sentinel is asked for ever by the client.
    limit = setTimeout(
      () => client.status === 'connecting' && reject(new Error('ETIMEDOUT')),
      connectTimeout,
    );
  });
  try {
    await Promise.race([client.connect(), tooLong]);
  } catch (error) {
    const cause = trouble ?? (error as Error);
    const isSilent = cause.message.endsWith('ETIMEDOUT');
    throw refusal(
      name,
      isSilent ? new Error(`it is out of reach${tls ? ', or does not speak TLS' : ''}`) : cause,
    );
  } finally {
    clearTimeout(limit);
  }
  // The client goes on in database 0 where the one that was asked for is refused.
  if (trouble && isReply(trouble)) throw refusal(name, trouble);
}

/** What a server's refusal means, and what to do about it. */
export function refusal(name: string, error: Error): UnusableStoreError {
  return new UnusableStoreError(`${name} cannot be used: ${meaningOf(error)}`, {
    cause: withoutCommand(error),
  });
}

function meaningOf(error: Error & { code?: string }): string {
  const { message, code = '' } = error;
  if (message.startsWith('WRONGPASS')) return 'it does not accept the user name and password';
  if (message.startsWith('NOAUTH')) return 'it asks for a password, and none was given';
  if (message.includes('DB index is out of range')) return 'it has no database of the number that was given';
  if (message.startsWith('NOPERM')) return `its user lacks a right: ${message}`;
  if (message.startsWith('READONLY')) return 'it is a replica and takes no tasks; name the primary';
  if (/CERT|ISSUER|SIGNATURE|ALTNAME/.test(code))
    return `its certificate is not trusted (${code}); name its authority in options.tls.ca`;
  if (message === 'Connection is closed.' || code === 'ECONNRESET' || code === 'EPIPE')
    return 'it closes the connection; where it speaks TLS, write rediss://';
  return message;
}

/** The client hangs the command on its errors, and with it the password, or the params of tasks. */
export function withoutCommand(error: Error & { code?: string }): Error {
  if (!('command' in error)) return error;
  const plain = new Error(error.message);
  plain.name = error.name;
  return plain;
}

/** Whether an error is what the server said, rather than that it could not be heard. */
export function isReply(error: Error): boolean {
  return error.name === 'ReplyError';
}
