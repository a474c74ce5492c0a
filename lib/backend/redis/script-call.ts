import { Command } from 'ioredis';

/** What calls of a script about one queue begin with. It never changes, so it is written once and not for every call. */
export class CallOpening {
  readonly text: string;
  readonly size: number;

  /** So many further keys come first among the arguments of each call. */
  constructor(sha: string, keys: readonly string[], furtherKeys: number) {
    const words = ['evalsha', sha, String(keys.length + furtherKeys), ...keys];
    this.text = words.map(written).join('');
    this.size = words.length;
  }
}

/** A call of a script as the client sends it, to one server only: a cluster would look for its keys among the arguments. */
export class ScriptCall extends Command {
  constructor(
    private readonly opening: CallOpening,
    args: readonly (string | number)[],
    /** Null where the reply is wanted as bytes. */
    replyEncoding: 'utf8' | null,
  ) {
    super('evalsha', args as (string | number)[], { replyEncoding });
  }

  override toWritable(): string {
    const { args, opening } = this;
    let text = `*${opening.size + args.length}\r\n${opening.text}`;
    for (let at = 0; at < args.length; at++) text += written(args[at] as string);
    return text;
  }
}

/** A word in the protocol's form. */
function written(word: string): string {
  return `$${Buffer.byteLength(word)}\r\n${word}\r\n`;
}
