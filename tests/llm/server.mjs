// A small OpenAI-compatible server on loopback over one GGUF model, for tests.
//
// node server.mjs --modules FOLDER --model FILE [--context TOKENS]
//
// FOLDER holds node_modules/node-llama-cpp. When the model is loaded, one line of JSON on stdout says where
// it listens: {"port": 12345, "model": "..."}. It ends when its stdin is closed, so it never outlives its tests.
//
// Served: GET /v1/models; POST /v1/chat/completions with messages, stream, stream_options.include_usage,
// max_tokens or max_completion_tokens, temperature, top_p, seed, stop. One reply at a time, the others wait.

import {randomUUID} from "node:crypto";
import {createServer} from "node:http";
import path from "node:path";
import {pathToFileURL} from "node:url";
import {parseArgs} from "node:util";

const BODY_LIMIT = 8 * 1024 * 1024;
const DEFAULT_MAX_TOKENS = 256;

const {values: options} = parseArgs({
    options: {
        modules: {type: "string"},
        model: {type: "string"},
        context: {type: "string", default: "2048"}
    }
});

class RequestError extends Error {
    constructor(status, code, message) {
        super(message);
        this.status = status;
        this.code = code;
    }
}

const entry = path.join(path.resolve(options.modules), "node_modules", "node-llama-cpp", "dist", "index.js");
const {getLlama, LlamaChat} = await import(pathToFileURL(entry).href);

const name = path.basename(options.model, ".gguf");
const llama = await getLlama({gpu: false, maxThreads: 1, build: "never", skipDownload: true, logLevel: "error", progressLogs: false});
const model = await llama.loadModel({modelPath: options.model});
const context = await model.createContext({contextSize: Number(options.context)});
const chat = new LlamaChat({contextSequence: context.getSequence()});

// The context holds one sequence: replies take turns.
let turn = Promise.resolve();
function inTurn(work) {
    const result = turn.then(work);
    turn = result.catch(() => undefined);
    return result;
}

function historyOf(messages) {
    if (!Array.isArray(messages) || messages.length === 0)
        throw new RequestError(400, "invalid_request", "messages must be a list with at least one message");
    return messages.map(({role, content} = {}) => {
        const text = Array.isArray(content)
            ? content.map((part) => part.text ?? "").join("")
            : content;
        if (typeof text !== "string")
            throw new RequestError(400, "invalid_request", "the content of a message must be text");
        if (role === "system" || role === "developer")
            return {type: "system", text};
        if (role === "user")
            return {type: "user", text};
        if (role === "assistant")
            return {type: "model", response: [text]};
        throw new RequestError(400, "invalid_request", `unknown role ${JSON.stringify(role)}`);
    });
}

async function readJson(request) {
    const parts = [];
    let size = 0;
    for await (const part of request) {
        size += part.length;
        if (size > BODY_LIMIT)
            throw new RequestError(413, "too_large", "the request is larger than 8 MiB");
        parts.push(part);
    }
    try {
        return JSON.parse(Buffer.concat(parts).toString("utf8"));
    } catch {
        throw new RequestError(400, "invalid_request", "the request is not JSON");
    }
}

async function complete(request, response) {
    const body = await readJson(request);
    // The last item is the reply to be written.
    const history = [...historyOf(body.messages), {type: "model", response: []}];
    const {contextText} = chat.chatWrapper.generateContextState({chatHistory: history});
    const promptTokens = contextText.tokenize(model.tokenizer).length;
    const room = context.contextSize - promptTokens - 1;
    if (room < 1)
        throw new RequestError(
            400, "context_length_exceeded",
            `The prompt has ${promptTokens} tokens; the context holds ${context.contextSize}.`
        );
    const asked = body.max_completion_tokens ?? body.max_tokens ?? DEFAULT_MAX_TOKENS;
    if (!Number.isInteger(asked) || asked < 1)
        throw new RequestError(400, "invalid_request", "max_tokens must be a whole number above 0");

    const id = `chatcmpl-${randomUUID()}`;
    const created = Math.floor(Date.now() / 1000);
    const chunk = (extra) => ({id, object: "chat.completion.chunk", created, model: name, ...extra});
    const send = (data) => response.write(`data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`);
    const delta = (content, finish = null) => send(chunk({choices: [{index: 0, delta: content, finish_reason: finish}]}));
    const stops = body.stop == null ? [] : [body.stop].flat();

    const gone = new AbortController();
    response.on("close", () => gone.abort());
    let replyTokens = 0;

    const result = await inTurn(async () => {
        if (gone.signal.aborted)
            return null;
        if (body.stream) {
            response.writeHead(200, {"content-type": "text/event-stream", "cache-control": "no-cache"});
            delta({role: "assistant", content: ""});
        }
        return await chat.generateResponse(history, {
            maxTokens: Math.min(asked, room),
            temperature: body.temperature ?? 0.8,
            topP: body.top_p,
            seed: body.seed,
            customStopTriggers: stops.length ? stops : undefined,
            signal: gone.signal,
            stopOnAbortSignal: true,
            onToken: (tokens) => { replyTokens += tokens.length; },
            onTextChunk: body.stream ? (text) => delta({content: text}) : undefined
        });
    });
    if (result === null || gone.signal.aborted)
        return;

    const finish = result.metadata.stopReason === "maxTokens" ? "length" : "stop";
    const usage = {
        prompt_tokens: promptTokens, completion_tokens: replyTokens, total_tokens: promptTokens + replyTokens
    };
    if (body.stream) {
        delta({}, finish);
        if (body.stream_options?.include_usage)
            send(chunk({choices: [], usage}));
        send("[DONE]");
        response.end();
    } else {
        const message = {role: "assistant", content: result.response};
        json(response, 200, {
            id, object: "chat.completion", created, model: name,
            choices: [{index: 0, message, finish_reason: finish}], usage
        });
    }
}

function json(response, status, data) {
    response.writeHead(status, {"content-type": "application/json"});
    response.end(JSON.stringify(data));
}

const server = createServer(async (request, response) => {
    try {
        const address = request.url.split("?")[0];
        if (request.method === "GET" && address === "/v1/models")
            json(response, 200, {
                object: "list",
                data: [{id: name, object: "model", created: 0, owned_by: "test", context_length: context.contextSize}]
            });
        else if (request.method === "POST" && address === "/v1/chat/completions")
            await complete(request, response);
        else
            throw new RequestError(404, "not_found", `nothing is served at ${request.method} ${address}`);
    } catch (error) {
        if (response.headersSent) {
            // Half a reply is out already: cut the connection, so that nobody takes it for a whole one.
            response.destroy();
        } else {
            const {status = 500, code = "server_error", message} = error;
            json(response, status, {error: {message, type: code, code}});
        }
    }
});

server.listen(0, "127.0.0.1", () => {
    process.stdout.write(JSON.stringify({port: server.address().port, model: name}) + "\n");
});
process.stdin.on("end", () => process.exit(0));
process.stdin.resume();
