//! Prints what the types get wrong of the lines: lines FILE
#[allow(dead_code)]
mod run_event_v1;

fn main() {
    let file = std::env::args().nth(1).expect("a file of lines");
    let text = std::fs::read_to_string(file).expect("the file");
    let lines: Vec<(String, bool)> = serde_json::from_str(&text).expect("lines");
    for (line, valid) in &lines {
        if serde_json::from_str::<run_event_v1::Event>(line).is_ok() != *valid {
            println!("types: want {valid}: {line:.300}");
        }
    }
    println!("{} lines", lines.len());
}
