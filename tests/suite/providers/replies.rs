//! Replies: text, tools, answers of a given shape.

use parquote::agents::provider::{
    AnswerSchema, Client, Message, ModelRequest, ProviderError, ToolCall, Usage,
};
use serde_json::json;

use super::asking::{KEY, SETTINGS, ask, key, model_of, provider_at, tools, turn};
use crate::protocol_server::{ParsedRequest, ProtocolServer, Scripted, Spoken};

#[tokio::test]
async fn a_question_arrives_whole_and_its_reply_comes_back_with_what_it_used() {
    for spoken in Spoken::ALL {
        let server = ProtocolServer::start(|asked: &ParsedRequest| {
            Scripted::text(&format!("you said {}", asked.last()))
        })
        .await;
        let model = model_of(&server, spoken, None);
        let reply = model.reply(&turn("héllo ₹")).await.unwrap();
        let asked = server.requests().remove(0);
        assert_eq!(
            (reply.text.as_str(), reply.cut, reply.calls.len()),
            ("you said héllo ₹", false, 0),
            "{spoken:?}"
        );
        assert_eq!(reply.usage, Usage { input_tokens: 12, output_tokens: 5 }, "{spoken:?}");
        assert_eq!(model.identity(), (spoken.name(), asked.model.as_str()));
        assert_eq!(reply.model, asked.model, "{spoken:?}");
        assert_eq!(
            (asked.system.as_str(), asked.max_output_tokens, asked.key.as_str()),
            ("Be brief.", 300, KEY)
        );
        let takes_none = matches!(spoken, Spoken::OpenAi | Spoken::Anthropic);
        assert_eq!(asked.temperature, (!takes_none).then_some(0.25), "{spoken:?}");
    }
}

#[tokio::test]
async fn tools_are_called_answered_and_made_use_of() {
    for spoken in Spoken::ALL {
        let server = ProtocolServer::start(|asked: &ParsedRequest| match asked.messages.last() {
            Some(Message::Tool { .. }) => Scripted::text("both known"),
            _ => Scripted::Calls(vec![
                ToolCall {
                    id: "call_1".into(),
                    name: "get_price".into(),
                    arguments: json!({"symbol": "TCS", "n": 1.5}),
                },
                ToolCall {
                    id: "call_2".into(),
                    name: "get_news".into(),
                    arguments: json!({"symbol": "ÄÖ\"\\"}),
                },
            ]),
        })
        .await;
        let model = model_of(&server, spoken, None);
        let mut turn = ModelRequest { tools: tools(), ..turn("what of TCS?") };
        let called = model.reply(&turn).await.unwrap();
        let calls: Vec<_> =
            called.calls.iter().map(|call| (call.name.as_str(), call.arguments.clone())).collect();
        let wanted =
            [("get_price", json!({"symbol": "TCS", "n": 1.5})), ("get_news", json!({"symbol": "ÄÖ\"\\"}))];
        assert_eq!(calls, wanted, "{spoken:?}");
        assert_ne!(called.calls[0].id, called.calls[1].id, "{spoken:?}");
        assert!(called.text.is_empty() && !called.cut);
        turn.messages.push(Message::Assistant { text: called.text, calls: called.calls.clone() });
        for (call, text) in called.calls.iter().zip(["3900.5", "none today"]) {
            let (call_id, name) = (call.id.clone(), call.name.clone());
            turn.messages.push(Message::Tool { call_id, name, text: text.to_owned() });
        }
        assert_eq!(model.reply(&turn).await.unwrap().text, "both known", "{spoken:?}");
        let requests = server.requests();
        assert!(requests.iter().all(|asked| asked.wrong.is_none()));
        assert_eq!(requests[0].tools, tools(), "{spoken:?}");
        // The server parsed what was sent: the question, the calls, and the answers with their calls.
        let [Message::User { .. }, Message::Assistant { calls, .. }, first, second] =
            requests[1].messages.as_slice()
        else {
            panic!("{spoken:?}: {:?}", requests[1].messages)
        };
        let arguments: Vec<_> = calls.iter().map(|call| call.arguments.clone()).collect();
        assert_eq!(arguments, wanted.map(|(_, arguments)| arguments), "{spoken:?}");
        for (message, call, said) in [(first, &calls[0], "3900.5"), (second, &calls[1], "none today")] {
            let Message::Tool { call_id, text, .. } = message else { panic!("{spoken:?}: {message:?}") };
            assert!(*call_id == call.id && text.contains(said), "{spoken:?}: {text}");
        }
    }
}

fn shaped(turn: ModelRequest) -> ModelRequest {
    let schema = json!({
        "type": "object", "properties": {"rating": {"type": "integer"}}, "required": ["rating"],
        "additionalProperties": false,
    });
    ModelRequest { schema: Some(AnswerSchema { name: "a_rating".to_owned(), schema }), ..turn }
}

#[tokio::test]
async fn an_answer_of_a_shape_is_asked_for_by_the_protocol_or_in_words() {
    for spoken in Spoken::ALL {
        let server =
            ProtocolServer::start(|_: &ParsedRequest| Scripted::text("```json\n{\"rating\": 7}\n```")).await;
        let reply = model_of(&server, spoken, None).reply(&shaped(turn("how good?"))).await.unwrap();
        assert_eq!(reply.text, "{\"rating\": 7}", "{spoken:?}");
        let asked = server.requests().remove(0);
        assert_eq!(asked.wrong, None, "{spoken:?}");
        if spoken == Spoken::DeepSeek {
            assert!(asked.json_mode && asked.system.contains("\"rating\""), "{}", asked.system);
        } else {
            assert_eq!(asked.schema.unwrap()["properties"]["rating"]["type"], "integer", "{spoken:?}");
            assert!(!asked.json_mode && !asked.system.contains("rating"), "{spoken:?}");
        }
    }
}

#[tokio::test]
async fn beside_tools_the_shape_is_asked_for_in_words_and_no_provider_refuses_it() {
    for spoken in Spoken::ALL {
        let server = ProtocolServer::start(|asked: &ParsedRequest| match asked.messages.last() {
            Some(Message::Tool { .. }) => Scripted::text("{\"rating\": 7}"),
            _ => Scripted::call("call_1", "get_price", json!({"symbol": "TCS"})),
        })
        .await;
        let model = model_of(&server, spoken, None);
        let mut turn = shaped(ModelRequest { tools: tools(), ..turn("how good?") });
        let called = model.reply(&turn).await.unwrap();
        let ToolCall { id: call_id, name, .. } = called.calls[0].clone();
        turn.messages.push(Message::Assistant { text: called.text, calls: called.calls });
        turn.messages.push(Message::Tool { call_id, name, text: "3900".to_owned() });
        assert_eq!(model.reply(&turn).await.unwrap().text, "{\"rating\": 7}", "{spoken:?}");
        for asked in server.requests() {
            assert_eq!(asked.wrong, None, "{spoken:?}");
            assert!(
                asked.system.starts_with("Be brief.") && asked.system.contains("\"rating\""),
                "{spoken:?}"
            );
        }
    }
}

#[tokio::test]
async fn a_reply_that_was_cut_says_so_and_one_without_a_count_is_estimated() {
    for spoken in Spoken::ALL {
        let cut = ask(spoken, Scripted::CutText("half a sen".to_owned())).await.unwrap();
        assert_eq!((cut.text.as_str(), cut.cut), ("half a sen", true), "{spoken:?}");
        let empty = ask(spoken, Scripted::CutText(String::new())).await.unwrap();
        assert_eq!((empty.text.as_str(), empty.cut), ("", true), "{spoken:?}");
        let uncounted = ask(spoken, Scripted::TextWithoutUsage("x".repeat(400))).await.unwrap();
        // 14 characters are sent and 400 returned, at 4 a token; DeepSeek adds 13 characters of reasoning.
        let output = if spoken == Spoken::DeepSeek { 104 } else { 100 };
        assert_eq!(uncounted.usage, Usage { input_tokens: 4, output_tokens: output }, "{spoken:?}");
    }
}

#[tokio::test]
async fn a_slow_reply_is_a_reply_as_long_as_it_moves() {
    let drip = Scripted::Drip(std::time::Duration::from_millis(1), "slow".to_owned());
    assert_eq!(ask(Spoken::OpenAi, drip).await.unwrap().text, "slow");
}

#[tokio::test]
async fn a_model_that_turns_out_to_take_no_temperature_is_asked_without_it() {
    for spoken in [Spoken::OpenAi, Spoken::Groq, Spoken::Gemini] {
        let server = ProtocolServer::start(|asked: &ParsedRequest| match asked.temperature {
            Some(_) => Scripted::error(400, "Unsupported value: 'temperature' does not support 0.25."),
            None => Scripted::text("ok"),
        })
        .await;
        let reply = model_of(&server, spoken, Some("brand-new-1")).reply(&turn("hello")).await.unwrap();
        assert_eq!((reply.text.as_str(), server.requests().len()), ("ok", 2), "{spoken:?}");
    }
}

#[tokio::test]
async fn a_deployment_whose_name_says_nothing_is_asked_with_the_other_name_of_the_cap_and_remembered() {
    for spoken in Spoken::ALL.into_iter().filter(|spoken| spoken.is_chat()) {
        for name in ["deployment-7", "house/gpt-5-of-the-house", "gpt-5-of-the-house"] {
            // A reasoning model does not accept a temperature either.
            let server = ProtocolServer::start(|asked: &ParsedRequest| match asked.temperature {
                Some(_) if asked.model == "deployment-7" => {
                    Scripted::error(400, "'temperature' is not supported")
                }
                _ => Scripted::text("ok"),
            })
            .await;
            let client = Client::new(SETTINGS).unwrap();
            let provider = provider_at(spoken, &server.url(spoken));
            let model = client.model(&provider, &key(), Some(name));
            assert_eq!(model.reply(&turn("hello")).await.unwrap().text, "ok", "{spoken:?} {name}");
            let asked = server.requests().len();
            assert_eq!(server.requests()[asked - 1].max_output_tokens, 300);
            // The next model object of the same client remembers it.
            let model = client.clone().model(&provider, &key(), Some(name));
            assert_eq!(model.reply(&turn("again")).await.unwrap().text, "ok", "{spoken:?} {name}");
            assert_eq!(server.requests().len(), asked + 1, "{spoken:?} {name}");
        }
    }
    // A limit that is too large under both names is reported with the first refusal.
    let server = ProtocolServer::start(|asked: &ParsedRequest| match asked.body.get("max_tokens") {
        Some(_) => Scripted::error(400, "max_tokens is too large: 300"),
        None => Scripted::error(400, "max_completion_tokens is too large"),
    })
    .await;
    let error = model_of(&server, Spoken::Groq, Some("small-1")).reply(&turn("hello")).await.unwrap_err();
    assert!(error.to_string().contains("max_tokens is too large"), "{error}");
}

/// Returns a Chat Completions reply with this message.
fn chat(message: &serde_json::Value) -> Scripted {
    let reply = json!({
        "id": "c1", "object": "chat.completion", "created": 1, "model": "qwen3:32b",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 700, "completion_tokens": 90, "total_tokens": 790},
    });
    Scripted::Body("application/json", reply.to_string().into_bytes())
}

#[tokio::test]
async fn what_a_model_writes_and_a_provider_bills_is_a_reply_with_its_tokens() {
    let usage = Usage { input_tokens: 700, output_tokens: 90 };
    for (content, text) in [
        (json!("<think>\nI could {so}\n</think>\n\nNothing new."), "\n\nNothing new."),
        (json!("<think>all of it</think>"), ""),
        (json!(""), ""),
        (json!(null), ""),
    ] {
        let reply =
            ask(Spoken::OpenAi, chat(&json!({"role": "assistant", "content": content}))).await.unwrap();
        assert_eq!((reply.text.as_str(), reply.usage), (text, usage), "{content}");
    }
    let refused = json!({"role": "assistant", "content": null, "refusal": "I cannot help with that."});
    let reply = ask(Spoken::OpenAi, chat(&refused)).await.unwrap();
    assert_eq!((reply.text.as_str(), reply.usage), ("I cannot help with that.", usage));
    for (arguments, read) in [
        ("{\"symbol\": \"TCS\",}", json!({"symbol": "TCS"})),
        ("```json\n{\"symbol\": \"TCS\"}\n```", json!({"symbol": "TCS"})),
        ("symbol=TCS", json!("symbol=TCS")),
        ("[\"TCS\"]", json!("[\"TCS\"]")),
        ("{\"symbol\": \"TC", json!("{\"symbol\": \"TC")),
    ] {
        let call = json!({"id": "c1", "type": "function", "function": {"name": "get_price", "arguments": arguments}});
        let message = json!({"role": "assistant", "content": null, "tool_calls": [call]});
        let reply = ask(Spoken::OpenAi, chat(&message)).await.unwrap();
        assert_eq!((&reply.calls[0].arguments, reply.usage), (&read, usage), "{arguments}");
    }
    // An unusable reply is billed too.
    for spoken in Spoken::ALL {
        let error = ask(spoken, Scripted::Filtered).await.unwrap_err();
        assert!(error.usage().input_tokens > 0, "{spoken:?}: {error:?}");
    }
    let broken = json!({"choices": 7, "usage": {"prompt_tokens": 700, "completion_tokens": 90}}).to_string();
    let error =
        ask(Spoken::OpenAi, Scripted::Body("application/json", broken.into_bytes())).await.unwrap_err();
    assert_eq!(error.usage(), usage);
}

#[tokio::test]
async fn a_conversation_of_any_form_is_one_that_the_protocol_takes() {
    let user = |text: &str| Message::User { text: text.to_owned() };
    let said = |text: &str| Message::Assistant { text: text.to_owned(), calls: Vec::new() };
    for spoken in Spoken::ALL {
        let server = ProtocolServer::start(|_: &ParsedRequest| Scripted::text("ok")).await;
        let model = model_of(&server, spoken, None);
        for messages in [
            vec![user("a"), said("b"), user("c")],
            vec![user("a"), user("b")],
            vec![user("a"), said(""), user("c")],
            vec![user("a"), said("b"), said("c"), user("d")],
        ] {
            let turn = ModelRequest { system: String::new(), messages: messages.clone(), ..turn("") };
            let reply = model.reply(&turn).await;
            assert_eq!(reply.unwrap().text, "ok", "{spoken:?} {messages:?}: {:?}", server.requests().last());
        }
    }
}

#[tokio::test]
async fn a_turn_that_no_protocol_can_say_is_refused_before_it_is_sent() {
    for spoken in Spoken::ALL {
        let server = ProtocolServer::start(|_: &ParsedRequest| Scripted::text("ok")).await;
        let model = model_of(&server, spoken, None);
        let error = model.reply(&ModelRequest { messages: Vec::new(), ..turn("") }).await.unwrap_err();
        assert!(matches!(error, ProviderError::Refused { .. }), "{error:?}");
        assert!(error.to_string().contains("without a message"), "{error}");
        for name in ["../../secrets", "a model", "x?key=1", ""] {
            let error = model_of(&server, spoken, Some(name)).reply(&turn("a")).await.unwrap_err();
            assert!(matches!(error, ProviderError::Refused { status: 400, .. }), "{name}: {error:?}");
            assert!(error.to_string().contains("must name a model"), "{name}: {error}");
        }
        assert!(server.requests().is_empty());
    }
}

#[tokio::test]
async fn a_key_is_tested_by_a_request_of_few_tokens() {
    for spoken in Spoken::ALL {
        let works = ProtocolServer::start(|_: &ParsedRequest| Scripted::text("OK")).await;
        let client = Client::new(SETTINGS).unwrap();
        let found = client.verify(&provider_at(spoken, &works.url(spoken)), &key()).await.unwrap();
        let asked = works.requests().remove(0);
        assert_eq!((found.text.as_str(), found.model.as_str()), ("OK", asked.model.as_str()), "{spoken:?}");
        assert_eq!(asked.max_output_tokens, 16, "{spoken:?}");
        let bad = ProtocolServer::start(|_: &ParsedRequest| Scripted::BadKey("no such key".to_owned())).await;
        let error = client.verify(&provider_at(spoken, &bad.url(spoken)), &key()).await.unwrap_err();
        assert!(matches!(error, ProviderError::KeyRefused { .. }), "{spoken:?}: {error:?}");
        // A reasoning model uses up the few tokens before its answer: the key is valid nevertheless.
        let thinks = ProtocolServer::start(|_: &ParsedRequest| Scripted::CutText(String::new())).await;
        client.verify(&provider_at(spoken, &thinks.url(spoken)), &key()).await.unwrap();
    }
}
