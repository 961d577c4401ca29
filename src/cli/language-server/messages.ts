import {
  Message,
  StreamMessageReader,
  StreamMessageWriter,
  type DataCallback,
  type Disposable,
  type MessageReader,
  type MessageWriter,
} from 'vscode-languageserver/node';

/**
 * Messages without the process of the editor, and of any length of time: the library would look whether it lives, and whether a message
 * goes on, by timers that nothing ends, and this process would outlive its stdin. An editor that goes closes that.
 */
export function readerOf(input: NodeJS.ReadableStream): MessageReader {
  return new Reader(input);
}

class Reader extends StreamMessageReader {
  override listen(callback: DataCallback): Disposable {
    this.partialMessageTimeout = 0; // none
    return super.listen((message) => {
      const isFirst = Message.isRequest(message) && message.method === 'initialize';
      const params = isFirst && !Array.isArray(message.params) ? message.params : undefined;
      callback(
        params === undefined ? message : ({ ...message, params: { ...params, processId: null } } as Message),
      );
    });
  }
}

/**
 * JSON without half surrogate pairs, which a file has as `"\ud83d"`: some editors refuse them, and all that is in the message and the
 * next ones.
 */
export function writerOf(output: NodeJS.WritableStream): MessageWriter {
  return new StreamMessageWriter(output, {
    contentTypeEncoder: {
      name: 'application/json',
      encode: (message, { charset }) => Promise.resolve(Buffer.from(wellFormed(message), charset)),
    },
  });
}

function wellFormed(message: Message): string {
  return JSON.stringify(message).replace(/\\(?:\\|ud[89a-f][\da-f]{2})/g, (found) =>
    found === '\\\\' ? found : '\\ufffd',
  );
}
