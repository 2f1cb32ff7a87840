// A message's content, between AG-UI's parts and LangChain's blocks, as ag-ui-langgraph has them.
import { isDict } from "../shared/dict.js";
import { ThreadfoldError } from "../shared/errors.js";
import { reading } from "../shared/reading.js";
import type { MessageLike } from "./message-types.js";
import { nonEmptyText } from "../shared/non-empty-text.js";

type Fields = Record<string, unknown>;

/** AG-UI's media and LangChain's name of the block; an image is an `image_url`. */
const BLOCKS: Readonly<Record<string, string>> = { audio: "audio", video: "video", document: "file" };
const PARTS: Readonly<Record<string, string>> = { image: "image", audio: "audio", video: "video", file: "document" };

/** LangChain's blocks for AG-UI's parts. A part that no block can hold is kept as it is. */
export function blocksOf(parts: readonly unknown[]): object[] {
  return parts.flatMap((part) => {
    if (!isDict(part)) return [];
    if (part["type"] === "text") return typeof part["text"] === "string" ? [{ type: "text", text: part["text"] }] : [];
    // A part of a later version stays as it is.
    return mediaBlock(part["type"] === "binary" ? typedMedia(part) : part) ?? part;
  });
}

/** The media part of AG-UI 1.0 for a `binary` part of the versions before. */
function typedMedia({ mimeType, data, url, id, filename }: Fields): Fields {
  const [type, value] = data ? ["data", data] : url ? ["url", url] : ["file", id];
  return { type: mediaOf(nonEmptyText(mimeType) ?? ""), source: { type, value, mimeType }, metadata: { filename } };
}

function mediaBlock(part: Fields): object | undefined {
  const { type, source, metadata } = part;
  const value = isDict(source) ? nonEmptyText(source["value"]) : undefined;
  if (!isDict(source) || value === undefined) return undefined;
  const mimeType = nonEmptyText(source["mimeType"]);
  const filename = isDict(metadata) ? nonEmptyText(metadata["filename"]) : undefined;
  const more = { ...(mimeType !== undefined && { mime_type: mimeType }), ...(filename !== undefined && { filename }) };
  const block = type === "image" ? "image" : BLOCKS[type as string];
  if (block === undefined) return undefined;
  if (source["type"] === "file") return { type: block, source_type: "id", id: value, ...more };
  if (type === "image") {
    const url = source["type"] === "data" ? `data:${mimeType ?? ""};base64,${value}` : value;
    return { type: "image_url", image_url: { url } };
  }
  if (source["type"] === "data")
    return { type: block, base64: value, mime_type: mimeType ?? "application/octet-stream", ...more };
  return { type: block, source_type: "url", url: value, ...more };
}

/**
 * AG-UI's parts for LangChain's blocks, in whichever of their three vocabularies. Leaves out blocks that no part can hold.
 */
export function partsOf(blocks: readonly unknown[]): object[] {
  return blocks.flatMap((block) => {
    if (typeof block === "string") return [{ type: "text", text: block }];
    if (!isDict(block)) return [];
    if (block["type"] === "text")
      return typeof block["text"] === "string" ? [{ type: "text", text: block["text"] }] : [];
    if (block["type"] === "image_url") return imagePart(block["image_url"]) ?? [];
    return mediaPart(block) ?? [];
  });
}

function imagePart(image: unknown): object | undefined {
  const url = nonEmptyText(isDict(image) ? image["url"] : image);
  if (url === undefined) return undefined;
  const data = dataUrl(url);
  if (!data) return { type: "image", source: { type: "url", value: url } };
  const mimeType = data.mimeType || "image/png";
  return { type: mediaOf(mimeType), source: { type: "data", value: data.value, mimeType } };
}

function mediaPart(block: Fields): object | undefined {
  const type = PARTS[block["type"] as string];
  if (type === undefined) return undefined;
  const declared = nonEmptyText(block["mimeType"]) ?? nonEmptyText(block["mime_type"]);
  const url = nonEmptyText(block["url"]);
  const inline = nonEmptyText(block["data"]) ?? nonEmptyText(block["base64"]);
  const file = nonEmptyText(block["file_id"]) ?? nonEmptyText(block["fileId"]) ?? nonEmptyText(block["id"]);
  const own = block["metadata"];
  const filename = nonEmptyText(block["filename"]) ?? (isDict(own) ? nonEmptyText(own["filename"]) : undefined);
  const metadata = filename === undefined ? {} : { metadata: { filename } };
  const mimeType = declared === undefined ? {} : { mimeType: declared };
  const data = inline === undefined && url !== undefined ? dataUrl(url) : undefined;
  if (data)
    return {
      type,
      source: { type: "data", value: data.value, mimeType: data.mimeType || declared || "application/octet-stream" },
      ...metadata,
    };
  if (inline !== undefined)
    return {
      type,
      source: { type: "data", value: inline, mimeType: declared ?? "application/octet-stream" },
      ...metadata,
    };
  if (url !== undefined) return { type, source: { type: "url", value: url, ...mimeType }, ...metadata };
  return file === undefined ? undefined : { type, source: { type: "file", value: file, ...mimeType }, ...metadata };
}

/**
 * Returns the text of a message, whatever its form: its string content, or all the text in its blocks or parts. Media, an
 * activity, and a message of tool calls alone give `""`. So does `undefined`, which `useMessage` returns for an id that
 * the thread lacks.
 *
 * @throws {@link ThreadfoldError} `INVALID_MESSAGE` for what is neither an object nor a string, `UNREADABLE_VALUE`.
 *
 * @example
 * ```ts
 * import { textOf } from "threadfold";
 *
 * console.log(textOf({ type: "ai", content: [{ type: "text", text: "Hel" }, { type: "text", text: "lo" }] })); // Hello
 * console.log(textOf({ id: "1", role: "user", content: "Hi" })); // Hi
 * ```
 */
export function textOf(message: MessageLike | object | undefined): string {
  return reading(() => {
    if (message === undefined) return "";
    if (typeof message === "string") return message;
    if (typeof message !== "object" || message === null)
      throw new ThreadfoldError("INVALID_MESSAGE", "message should be an object or a string.");
    const content: unknown = Array.isArray(message) ? message[1] : (message as Fields)["content"];
    if (!Array.isArray(content)) return typeof content === "string" ? content : "";
    return content
      .map((block: unknown) => (isDict(block) && block["type"] === "text" ? block["text"] : block))
      .filter((one) => typeof one === "string")
      .join("");
  });
}

function dataUrl(url: string): { mimeType: string; value: string } | undefined {
  const found = /^data:([^,]*);base64,(.+)$/s.exec(url);
  return found ? { mimeType: (found[1] ?? "").split(";")[0]?.trim() ?? "", value: found[2] ?? "" } : undefined;
}

function mediaOf(mimeType: string): string {
  const major = mimeType.split("/")[0]?.toLowerCase() ?? "";
  return ["image", "audio", "video"].includes(major) ? major : "document";
}
